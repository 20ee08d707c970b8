"""Runs kernels on the local GPU: reads PTX modules with their launches and writes the final memory of each launch.

    python3 ask.py QUESTIONS.jsonl.gz ANSWERS.jsonl.gz [--workers N] [--seconds N]

Requires the package `cuda-bindings` and a driver. Each worker is a process with a separate context, so that a kernel that faults
or hangs does not affect other launches."""

import argparse
import ctypes
import gzip
import json
import os
import queue
import re
import subprocess
import sys
import threading
import zlib

# Errors after which the context remains usable. After any other error, the worker process exits.
HARMLESS = {"CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_NOT_FOUND", "CUDA_ERROR_INVALID_PTX", "CUDA_ERROR_NO_BINARY_FOR_GPU",
            "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "CUDA_ERROR_INVALID_IMAGE",
            "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "CUDA_ERROR_INVALID_CLUSTER_SIZE", "CUDA_ERROR_NOT_SUPPORTED"}
# Number of instances of a repeated launch that are launched before a synchronization.
POOL = 512
# Alignment of the buffer copy of each instance, in bytes.
ALIGN = 256


class Refused(Exception):
    """Error status of a driver call."""

    def __init__(self, call, name):
        super().__init__(f"{call}: {name}")
        self.name = name


class Device:
    """The first GPU, and the memory allocated for the current launch."""

    def __init__(self):
        from cuda.bindings import driver
        self.driver = driver
        self.call("cuInit", 0)
        self.device = self.call("cuDeviceGet", 0)
        self.call("cuCtxSetCurrent", self.call("cuDevicePrimaryCtxRetain", self.device))
        self.free = []
        name = self.call("cuDeviceGetName", 64, self.device)
        self.name = name.decode(errors="replace").strip("\0")
        attribute = driver.CUdevice_attribute
        parts = [attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR]
        self.target = "sm_" + "".join(str(self.call("cuDeviceGetAttribute", part, self.device)) for part in parts)
        version = self.call("cuDriverGetVersion")
        # CUDA 12.0 introduced PTX ISA 8.0, and CUDA 13.0 introduced PTX ISA 9.0.
        self.ptx = (version // 1000 - 4, version % 1000 // 10)

    def call(self, name, *arguments):
        status, *results = getattr(self.driver, name)(*arguments)
        if status != self.driver.CUresult.CUDA_SUCCESS:
            raise Refused(name, status.name)
        return results[0] if len(results) == 1 else results

    def allocate(self, size):
        address = int(self.call("cuMemAlloc", max(size, 1)))
        self.free.append(lambda: self.call("cuMemFree", address))
        return address

    def release(self):
        for free in reversed(self.free):
            free()
        self.free.clear()

    def write(self, address, data):
        if data:
            source = ctypes.create_string_buffer(bytes(data), len(data))
            self.call("cuMemcpyHtoD", address, ctypes.addressof(source), len(data))

    def read(self, address, size):
        data = ctypes.create_string_buffer(max(size, 1))
        if size:
            self.call("cuMemcpyDtoH", ctypes.addressof(data), address, size)
        return data.raw[:size]

    def load(self, ptx):
        """Loads a module. A `.version` that is too new for the driver is replaced by the newest supported version."""
        version = re.search(r"^\s*\.version\s+(\d+)\.(\d+)", ptx, re.M)
        if version and tuple(map(int, version.groups())) > self.ptx:
            ptx = ptx[:version.start()] + f"\n.version {self.ptx[0]}.{self.ptx[1]}" + ptx[version.end():]
        log = bytes(4096)
        option = self.driver.CUjit_option
        options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        try:
            return self.call("cuModuleLoadDataEx", ptx.encode() + b"\0", 2, options, [log, len(log)])
        except Refused as why:
            text = log.split(b"\0")[0].decode(errors="replace").strip()
            why.args = (f"{why.args[0]} {text}",)
            raise


def contents(buffer):
    """Returns the initial contents of a buffer."""
    if "bytes" in buffer:
        return bytes.fromhex(buffer["bytes"])
    pattern = bytes.fromhex(buffer.get("pattern", "00"))
    size = buffer["size"]
    return (pattern * (size // len(pattern) + 1))[:size]


def patched(data, pointers, addresses, width=8):
    data = bytearray(data)
    for pointer in pointers:
        at = pointer["at"]
        address = addresses[pointer["buffer"]] + pointer["add"]
        data[at:at + width] = (address % (1 << 8 * width)).to_bytes(width, "little")
    return data


def tensor_map(device, description, address):
    """Returns the 128 bytes of a tensor map."""
    driver = device.driver
    rank = len(description["dims"])
    ty = description["type"]
    sizes = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f16": 2, "f32": 4, "f64": 8, "bf16": 2,
             "f32_ftz": 4, "tf32": 4, "tf32_ftz": 4}
    types = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz",
             "u4_align8", "u4_align16", "u6_align16"]
    swizzles = ["none", "32B", "64B", "128B", "128B_atom_32B", "128B_atom_32B_flip_8B", "128B_atom_64B"]
    dims = description["dims"]
    strides = description.get("strides") or []
    if not strides and rank > 1:
        row = dims[0] * sizes.get(ty, 1)
        if ty in ("u4_align8", "u4_align16"):
            row = dims[0] // 2
        if ty == "u6_align16":
            row = dims[0] * 3 // 4
        for extent in dims[1:]:
            strides.append(row)
            row *= extent
    # The driver requires a non-null pointer even without strides.
    strides = strides or [16]
    steps = description.get("element_strides") or [1] * rank
    words = [driver.cuuint64_t(n) for n in dims], [driver.cuuint64_t(n) for n in strides]
    named = lambda kind, names, key: kind(names.index(description.get(key) or names[0]))
    common = [driver.CUtensorMapDataType(types.index(ty)), rank, address, *words]
    last = [[driver.cuuint32_t(n) for n in steps],
            named(driver.CUtensorMapInterleave, ["none", "16B", "32B"], "interleave"),
            named(driver.CUtensorMapSwizzle, swizzles, "swizzle"),
            named(driver.CUtensorMapL2promotion, ["none", "64B", "128B", "256B"], "l2_promotion"),
            named(driver.CUtensorMapFloatOOBfill, ["zeros", "nan"], "oob_fill")]
    if description.get("mode", "tiled") == "tiled":
        box = [driver.cuuint32_t(n) for n in description["box"]]
        made = device.call("cuTensorMapEncodeTiled", *common, box, *last)
    elif description["mode"] == "im2col":
        made = device.call("cuTensorMapEncodeIm2col", *common, description["lower_corner"], description["upper_corner"],
                           description["channels_per_pixel"], description["pixels_per_column"], *last)
    else:
        raise Refused("cuTensorMapEncodeIm2colWide", "not asked for")
    return b"".join(int(word).to_bytes(8, "little") for word in made.opaque)


def array_format(driver, ty):
    names = {"u8": "UNSIGNED_INT8", "u16": "UNSIGNED_INT16", "u32": "UNSIGNED_INT32", "s8": "SIGNED_INT8",
             "s16": "SIGNED_INT16", "s32": "SIGNED_INT32", "f16": "HALF", "f32": "FLOAT"}
    return getattr(driver.CUarray_format, "CU_AD_FORMAT_" + names[ty])


def texel_size(ty, channels):
    return {"8": 1, "16": 2, "32": 4}[ty.lstrip("usf")] * channels


class Texels:
    """CUDA array that textures and surfaces access."""

    def __init__(self, device, array, data):
        driver = device.driver
        self.device, self.size = device, len(data)
        self.row = array["width"] * texel_size(array["type"], array["channels"])
        self.height = max(array.get("height", 0), 1)
        layers = array.get("layers", 0)
        cube = array.get("cubemap", False)
        self.depth = max(array.get("depth", 0), layers * 6 if cube else layers, 1)
        descriptor = driver.CUDA_ARRAY3D_DESCRIPTOR()
        descriptor.Width, descriptor.Height = array["width"], array.get("height", 0)
        descriptor.Depth = array.get("depth", 0) or (layers * 6 if cube else layers)
        descriptor.Format = array_format(driver, array["type"])
        descriptor.NumChannels = array["channels"]
        descriptor.Flags = (1 if layers and not (cube and layers == 1) else 0) | (4 if cube else 0) | (2 if array.get("surface") else 0)
        self.handle = device.call("cuArray3DCreate", descriptor)
        device.free.append(lambda: device.call("cuArrayDestroy", self.handle))
        self.host = ctypes.create_string_buffer(bytes(data), len(data))
        self.copy(to_device=True)

    def copy(self, to_device):
        driver = self.device.driver
        copy = driver.CUDA_MEMCPY3D()
        host, array = driver.CUmemorytype.CU_MEMORYTYPE_HOST, driver.CUmemorytype.CU_MEMORYTYPE_ARRAY
        copy.WidthInBytes, copy.Height, copy.Depth = self.row, self.height, self.depth
        if to_device:
            copy.srcMemoryType, copy.srcHost = host, ctypes.addressof(self.host)
            copy.srcPitch, copy.srcHeight = self.row, self.height
            copy.dstMemoryType, copy.dstArray = array, self.handle
        else:
            copy.srcMemoryType, copy.srcArray = array, self.handle
            copy.dstMemoryType, copy.dstHost = host, ctypes.addressof(self.host)
            copy.dstPitch, copy.dstHeight = self.row, self.height
        self.device.call("cuMemcpy3D", copy)

    def read(self):
        self.copy(to_device=False)
        return self.host.raw[:self.size]


def image_handle(device, image, arrays, addresses):
    """Returns the handle of a texture or a surface."""
    driver = device.driver
    resource = driver.CUDA_RESOURCE_DESC()
    of = image["resource"]
    if of["kind"] == "array":
        resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
        resource.res.array.hArray = arrays[of["array"]].handle
    else:
        address = addresses[of["buffer"]] + of.get("byte_offset", 0)
        ty, channels = array_format(driver, of["type"]), of["channels"]
        if of["kind"] == "linear":
            resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_LINEAR
            linear = resource.res.linear
            linear.devPtr, linear.format, linear.numChannels = address, ty, channels
            linear.sizeInBytes = of["width"] * texel_size(of["type"], channels)
        else:
            resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_PITCH2D
            pitch = resource.res.pitch2D
            pitch.devPtr, pitch.format, pitch.numChannels = address, ty, channels
            pitch.width, pitch.height, pitch.pitchInBytes = of["width"], of["height"], of["pitch"]
    if image["kind"] == "surface":
        return int(device.call("cuSurfObjectCreate", resource))
    texture = driver.CUDA_TEXTURE_DESC()
    modes = ["wrap", "clamp", "mirror", "border"]
    given = list(image.get("address_mode") or [])
    texture.addressMode = [driver.CUaddress_mode(modes.index(mode)) for mode in (given + ["clamp"] * 3)[:3]]
    linear = image.get("filter") == "linear"
    texture.filterMode = driver.CUfilter_mode(1 if linear else 0)
    integer = image.get("read_mode", "element") == "element"
    texture.flags = (1 if integer else 0) | (2 if image.get("normalized") else 0)
    texture.borderColor = list(image.get("border_color") or [0.0] * 4)
    return int(device.call("cuTexObjectCreate", resource, texture, None))


def launch_config(device, launch):
    driver = device.driver
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = launch["grid"]
    config.blockDimX, config.blockDimY, config.blockDimZ = launch["block"]
    config.sharedMemBytes = launch["shared"]
    if launch["cluster"] != [1, 1, 1] and not launch["required"]:
        attribute = driver.CUlaunchAttribute()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        size = attribute.value.clusterDim
        size.x, size.y, size.z = launch["cluster"]
        config.attrs, config.numAttrs = [attribute], 1
    return config


def start(device, config, function, arguments):
    """Launches a kernel with arguments given as bytes."""
    held = [ctypes.create_string_buffer(bytes(argument), max(len(argument), 1)) for argument in arguments]
    # Tensor maps must be aligned to 64 bytes.
    room = [ctypes.create_string_buffer(len(argument) + 64) for argument in arguments]
    places = []
    for argument, place, data in zip(arguments, room, held):
        address = (ctypes.addressof(place) + 63) // 64 * 64
        ctypes.memmove(address, data, len(argument))
        places.append(address)
    pointers = (ctypes.c_void_p * max(len(places), 1))(*places)
    device.call("cuLaunchKernelEx", config, function, ctypes.addressof(pointers), 0)


def function_of(device, module, launch):
    function = device.call("cuModuleGetFunction", module, launch["entry"].encode())
    attribute = device.driver.CUfunction_attribute
    if launch["shared"] > 48 << 10:
        device.call("cuFuncSetAttribute", function, attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, launch["shared"])
    if launch["cluster"][0] * launch["cluster"][1] * launch["cluster"][2] > 8:
        device.call("cuFuncSetAttribute", function, attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)
    return function


def run_once(device, module, launch):
    function = function_of(device, module, launch)
    buffers = launch["buffers"]
    data = [contents(buffer) for buffer in buffers]
    arrays = {}
    addresses = []
    for buffer, its in zip(buffers, data):
        if "array" in buffer:
            arrays[buffer["name"]] = Texels(device, buffer["array"], its)
            addresses.append(0)
        else:
            addresses.append(device.allocate(len(its)))
    by_name = {buffer["name"]: address for buffer, address in zip(buffers, addresses)}
    maps = {}
    for argument in launch["arguments"]:
        of = argument.get("object", {})
        if of.get("kind") == "tensormap":
            maps[of["name"]] = tensor_map(device, of, by_name[of["buffer"]] + of.get("byte_offset", 0))
    for buffer, its, address in zip(buffers, data, addresses):
        if "array" not in buffer:
            its = maps.get(buffer["name"], patched(its, buffer.get("pointers", []), addresses))
            device.write(address, its)
    arguments = []
    for argument in launch["arguments"]:
        of = argument.get("object", {})
        if of.get("kind") == "tensormap" and of.get("passed") != "pointer":
            arguments.append(maps[of["name"]])
        elif of.get("kind") in ("texture", "surface"):
            arguments.append(image_handle(device, of, arrays, by_name).to_bytes(8, "little"))
        else:
            its = bytes.fromhex(argument["bytes"])
            arguments.append(patched(its, argument.get("pointers", []), addresses, min(len(its), 8)))
    start(device, launch_config(device, launch), function, arguments)
    device.call("cuCtxSynchronize")
    found = {}
    for buffer, its, address in zip(buffers, data, addresses):
        if buffer["name"] in maps:
            continue
        after = arrays[buffer["name"]].read() if "array" in buffer else device.read(address, len(its))
        # Buffers with pointers are not compared, since the addresses on the GPU differ from the addresses in the emulator.
        if not buffer.get("pointers") and zlib.crc32(after) != buffer["after"]:
            found[buffer["name"]] = after.hex()
    return {"state": "differs" if found else "equal", "buffers": found}


def run_often(device, module, launch):
    """Counts the occurrences of each final memory. Each launch uses separate memory."""
    function = function_of(device, module, launch)
    config = launch_config(device, launch)
    buffers = launch["buffers"]
    data = [contents(buffer) for buffer in buffers]
    steps = [(len(its) + ALIGN - 1) // ALIGN * ALIGN for its in data]
    starts = [device.allocate(step * POOL) for step in steps]
    images = [(its + bytes(step - len(its))) * POOL for its, step in zip(data, steps)]
    counts = {}
    left = launch["repeat"]
    while left > 0:
        for address, image in zip(starts, images):
            device.write(address, image)
        for instance in range(POOL):
            addresses = [address + step * instance for address, step in zip(starts, steps)]
            arguments = [patched(bytes.fromhex(argument["bytes"]), argument.get("pointers", []), addresses)
                         for argument in launch["arguments"]]
            start(device, config, function, arguments)
        device.call("cuCtxSynchronize")
        after = [device.read(address, step * POOL) for address, step in zip(starts, steps)]
        for instance in range(POOL):
            parts = [all[step * instance:step * instance + len(its)] for all, step, its in zip(after, steps, data)]
            key = b"".join(parts).hex()
            counts[key] = counts.get(key, 0) + 1
        left -= POOL
    return {"state": "counted", "counts": counts}


def work():
    """Runs a worker process: reads one module per line and prints one result line for each of its launches."""
    device = Device()
    print(json.dumps({"device": device.name, "target": device.target, "ptx": device.ptx}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            module = device.load(question["ptx"])
        except Refused as why:
            for launch in question["launches"]:
                print(json.dumps({"name": launch["name"], "state": "refused", "why": str(why)}), flush=True)
            continue
        for launch in question["launches"]:
            try:
                answer = run_often(device, module, launch) if launch.get("repeat") else run_once(device, module, launch)
                device.release()
            except Refused as why:
                is_over = why.name not in HARMLESS
                answer = {"state": "fault", "why": str(why), "over": is_over}
                print(json.dumps({"name": launch["name"], **answer}), flush=True)
                if is_over:
                    os._exit(0)
                device.release()
                continue
            print(json.dumps({"name": launch["name"], **answer}), flush=True)
        device.call("cuModuleUnload", module)


class Worker:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--work"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.gather, daemon=True).start()
        self.hello = self.next(60)

    def gather(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def next(self, seconds):
        """Returns the next result, `None` if the worker has exited, or `False` after a timeout."""
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            return False
        return line and json.loads(line)

    def send(self, question):
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass

    def end(self):
        self.process.kill()
        self.process.wait()


def serve(questions, answers, seconds, greetings):
    worker = None
    while True:
        try:
            question = questions.get_nowait()
        except queue.Empty:
            break
        launches = question["launches"]
        while launches:
            if worker is None:
                worker = Worker()
                if not worker.hello:
                    greetings.append(None)
                    worker.end()
                    return
                greetings.append(worker.hello)
            worker.send({**question, "launches": launches})
            for launch in list(launches):
                answer = worker.next(seconds)
                launches = launches[1:]
                if answer:
                    answers.append(answer)
                else:
                    answers.append({"name": launch["name"], "state": "hangs" if answer is False else "lost"})
                # The worker has exited or hangs, or its context is unusable.
                if not answer or answer.get("over"):
                    worker.end()
                    worker = None
                    break
    if worker:
        worker.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("questions", nargs="?")
    parser.add_argument("answers", nargs="?")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20, help="after which a launch counts as one that does not end")
    parser.add_argument("--work", action="store_true")
    arguments = parser.parse_args()
    if arguments.work:
        return work()
    questions = queue.Queue()
    total = 0
    with gzip.open(arguments.questions, "rt") as file:
        for line in file:
            question = json.loads(line)
            total += len(question["launches"])
            questions.put(question)
    greetings, answers = [], []
    crew = [threading.Thread(target=serve, args=(questions, answers, arguments.seconds, greetings))
            for _ in range(arguments.workers)]
    for member in crew:
        member.start()
    for member in crew:
        member.join()
    device = next((greeting for greeting in greetings if greeting), None)
    if device is None:
        sys.exit("no GPU answers: is a driver installed, and the Python package cuda-bindings?")
    states = {}
    for answer in answers:
        states[answer["state"]] = states.get(answer["state"], 0) + 1
    print(f"{device['device']}, {device['target']}: {len(answers)} of {total} launches answered, {states}", flush=True)
    with gzip.open(arguments.answers, "wt", compresslevel=6) as file:
        file.write(json.dumps(device) + "\n")
        for answer in answers:
            file.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
