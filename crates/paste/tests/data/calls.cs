// Inline assembly in C#.
using ILGPU.Runtime.Cuda;

static class Kernels
{
    public static uint Add(uint a, uint b)
    {
        // CudaAsm.Emit("in a comment", a);
        CudaAsm.Emit("add.u32 %0, %1, %2;", out uint sum, a, b);
        return sum;
    }

    static void Wait() => CudaAsm.Emit("bar.sync 0");

    static float Scale(float x)
    {
        Input<float> input = x;
        Output<float> output = default;
        Ref<uint> count = 0;
        CudaAsm.EmitRef(@"{
            .reg .f32 t;
            mul.f32 t, %1, 0f40000000;
            mov.f32 %0, t;
            add.u32 %2, %2, 1;
        }", ref output, ref input, ref count);
        return output.Value;
    }

    static void Wrong(int x, double d)
    {
        CudaAsm.Emit("add.u64 %0, " + "%1, 1;", out int y, x);
        CudaAsm.Emit("add.f64 %0, %0, %1;", out double z, 1.0);
        CudaAsm.Emit("mov.u32 %0, %1;", out int w, Pick(x));
        CudaAsm.Emit($"bar.sync {x};");
    }
}
