//! Launch annotations: `//@` comments of a source that specify the launch, so that a snippet with its launch remains a valid source file.
//!
//! ```text
//! //@ title Strided stores
//! //@ about Each lane writes every fourth element.
//! //@ launch grid=2 block=64x2 shared=1024 entry=fill seed=7
//! //@ buffer out: f32[16][16] = 0
//! //@ buffer x: u32[64] = iota
//! //@ buffer y: f32[4096] = random 7 [100]=1.5
//! //@ scalar n: s32 = 200
//! //@ scalar dims+8: u32 = 16
//! //@ start x = 16
//! //@ alias y = x
//! //@ tensormap map = tiled x: f16[40][64] box=[24][64] swizzle=128B
//! //@ array texels: f32x4[5][7] = iota
//! //@ texture image = texels filter=linear address=border normalized
//! //@ surface to = texels
//! //@ multimem all = x, y
//! //@ register R2 = lane * 4 + 16
//! //@ expect out = 0, 1, 2, 3
//! //@ source saxpy.cu
//! // __global__ void saxpy(float* y, const float* x, float a, int n) {
//! // …
//! ```
//! `start` selects the element of a buffer whose address the kernel receives. The default is the first element. A name
//! with an offset denotes a member of a structure: `dims+8` is the member at byte offset 8 of the parameter `dims`.
//! `source` names a source file of the compiler. The following comment lines contain its text, up to the first line that is
//! not a comment or is another fact.

mod annotation_value;

pub use annotation_value::{AnnotationValue, stated_value};

use crate::diagnostics::{self, LaunchDiagnostic};
use crate::initial_registers;
use crate::pattern::Pattern;
use crate::scenario::{
    Buffer, BufferInitializer, InitialRegister, MisalignedPolicy, Parameter, Scenario, SourceFile,
    Surface, TensorMap, TexelArray, Texture,
};
use crate::schedule::Schedule;
use crate::value::{ElementType, Literal};
use warpgrid_program::{Diagnostic, Span};

/// Launch facts that the `//@` comments of a source specify.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    pub title: Option<String>,
    pub about: Option<String>,
    /// Launch facts as a scenario without the source.
    pub scenario: Scenario,
    /// Span of each fact. The key is a field of the launch line, such as `grid` or `block`, or the name of a parameter.
    pub places: Vec<(String, Span)>,
    /// Names of the specified parameters, with the span of each name.
    pub names: Vec<(String, Span)>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Maximum length of the text of one fact in bytes. A longer line is not parsed as a launch fact.
const MAX_LINE_BYTES: usize = 1 << 20;

impl Annotations {
    /// Parses every line that starts with `line_comment` and `@`, which is `//@` in PTX.
    pub fn parse(source: &str, line_comment: &str) -> Annotations {
        let mut annotations = Annotations::default();
        let mark = &format!("{line_comment}@");
        // Most modules contain no `//@` line. A string search detects these modules faster than a line index could be built.
        if !source.contains(mark) {
            return annotations;
        }
        let mut offset = 0;
        let mut is_in_source_file = false;
        for line in source.split_inclusive('\n') {
            offset += line.len();
            if let Some(text) = line.trim_start().strip_prefix(mark)
                && text.len() <= MAX_LINE_BYTES
            {
                let n_sources = annotations.scenario.sources.len();
                annotations.line(&AnnotationText::new(text, offset - text.len()));
                is_in_source_file = annotations.scenario.sources.len() > n_sources;
            } else if let Some(file) = annotations.scenario.sources.last_mut()
                && is_in_source_file
            {
                match line.strip_prefix(line_comment) {
                    Some(text) => file.text.push_str(text.strip_prefix(' ').unwrap_or(text)),
                    None => is_in_source_file = false,
                }
            }
        }
        annotations
    }

    fn line(&mut self, fact: &AnnotationText<'_>) {
        let (word, rest) = fact.split_word();
        let result = match word.text {
            "title" => {
                self.title = Some(rest.text.to_owned());
                Ok(())
            }
            "about" => {
                self.about = Some(rest.text.to_owned());
                Ok(())
            }
            "launch" => self.launch(&rest),
            "buffer" => self.buffer(&rest),
            "scalar" => self.scalar(&rest),
            "start" => self.start(&rest),
            "alias" => self.alias(&rest),
            "tensormap" => self.tensor_map(&rest),
            "array" => self.array(&rest),
            "texture" => self.texture(&rest),
            "surface" => self.surface(&rest),
            "multimem" => self.multimem(&rest),
            "register" => self.register(&rest),
            "expect" => self.expect(&rest),
            "source" => self.source_file(&rest),
            // The launch ignores annotations that define a C++ name for inline assembly. The parser of inline assembly reads these
            // annotations.
            "" | "constant" => Ok(()),
            _ => Err(word.error(diagnostics::unknown_fact(word.text))),
        };
        self.diagnostics
            .extend(result.err().map(|problem| *problem));
    }

    /// Starts a source file, whose text consists of the following comment lines.
    fn source_file(&mut self, name: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        if name.text.is_empty() {
            return Err(name.error(diagnostics::source_without_name()));
        }
        let mut files = self.scenario.sources.iter();
        if files.any(|file| file.name == name.text) {
            return Err(name.error(diagnostics::given_twice(name.text)));
        }
        self.scenario.sources.push(SourceFile {
            name: name.text.to_owned(),
            text: String::new(),
        });
        Ok(())
    }

    fn launch(&mut self, facts: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        for pair in facts.words() {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(pair.error(diagnostics::no_equals_sign()));
            };
            let is_key = |(other, _): &(String, Span)| other == key.text;
            if self.places.iter().any(is_key) && !self.names.iter().any(is_key) {
                return Err(key.error(diagnostics::fact_given_twice(key.text)));
            }
            self.places.push((key.text.to_owned(), pair.span()));
            let scenario = &mut self.scenario;
            match key.text {
                "grid" => scenario.grid = Some(value.extents()?),
                "block" => scenario.block = Some(value.extents()?),
                "cluster" => scenario.cluster = Some(value.extents()?),
                "shared" => scenario.dynamic_shared = value.number()?,
                "seed" => scenario.seed = Some(value.number()?),
                "schedule" => scenario.schedule = Some(value.schedule()?),
                "resident" => scenario.resident = Some(value.number()?.min(u32::MAX.into()) as u32),
                "misaligned" => scenario.misaligned = Some(value.misaligned()?),
                "entry" => scenario.entry = Some(value.text.to_owned()),
                _ => {
                    return Err(key.error(diagnostics::unknown_launch_fact(key.text)));
                }
            }
        }
        Ok(())
    }

    fn buffer(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (declaration, init) = fact.split_init();
        let (name, ty) = declaration.name_and_type()?;
        let (ty, shape) = ty.array()?;
        let len = shape
            .iter()
            .try_fold(1u64, |product, extent| product.checked_mul(*extent));
        let len = len.ok_or_else(|| declaration.error(diagnostics::too_many_elements()))?;
        let init = match init {
            None => BufferInitializer::default(),
            Some(init) => init.init()?,
        };
        if let BufferInitializer::List(values) = &init
            && values.len() as u64 > len
        {
            return Err(declaration.error(diagnostics::too_many_values(values.len(), len)));
        }
        self.add(
            fact,
            name,
            Parameter::Buffer(Buffer {
                name: name.text.to_owned(),
                ty: ty.name().to_owned(),
                len,
                shape,
                init,
                ..Buffer::default()
            }),
        )
    }

    fn scalar(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (declaration, value) = fact.split_init();
        let (name, ty) = declaration.name_and_type()?;
        let element = ty.element()?;
        let value = value
            .ok_or_else(|| declaration.error(diagnostics::scalar_without_value()))?
            .literal()?;
        element
            .encode(&value)
            .map_err(|reason| fact.error(diagnostics::scalar_not_in_type(reason)))?;
        self.add(
            fact,
            name,
            Parameter::Scalar {
                name: name.text.to_owned(),
                ty: element.name().to_owned(),
                value,
            },
        )
    }

    /// Parses an alias, which is a second pointer to a buffer.
    fn alias(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (name, of) = fact.split_init();
        let of = of.filter(|of| !of.text.is_empty() && !name.text.is_empty());
        let of = of.ok_or_else(|| fact.error(diagnostics::alias_without_buffer()))?;
        self.add(
            fact,
            name,
            Parameter::Alias {
                name: name.text.to_owned(),
                of: of.text.to_owned(),
            },
        )
    }

    /// Parses a tensor map annotation.
    fn tensor_map(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (name, tensor) = fact.split_init();
        let tensor = tensor.filter(|tensor| !tensor.text.is_empty() && !name.text.is_empty());
        let tensor = tensor.ok_or_else(|| fact.error(diagnostics::map_without_tensor()))?;
        let map = TensorMap::read(name.text, tensor.text)
            .map_err(|reason| tensor.error(diagnostics::tensor_map(name.text, &reason)))?;
        self.add(fact, name, Parameter::Tensormap(map))
    }

    /// Parses an array annotation, which declares an array for textures and surfaces.
    fn array(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (declaration, init) = fact.split_init();
        let (name, texels) = declaration.name_and_type()?;
        let mut array = TexelArray::read(name.text, texels.text)
            .map_err(|reason| texels.error(diagnostics::array(name.text, &reason)))?;
        if let Some(init) = init {
            array.init = init.init()?;
        }
        let len = array.len().unwrap_or(u64::MAX);
        if let BufferInitializer::List(values) = &array.init
            && values.len() as u64 > len
        {
            return Err(declaration.error(diagnostics::too_many_values(values.len(), len)));
        }
        let mut arrays = self.scenario.arrays.iter();
        if arrays.any(|other| other.name == name.text) || self.buffer_above(name.text).is_some() {
            return Err(name.error(diagnostics::given_twice(name.text)));
        }
        self.places.push((name.text.to_owned(), fact.span()));
        self.scenario.arrays.push(array);
        Ok(())
    }

    /// Parses a texture annotation, which declares a texture handle.
    fn texture(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (name, rest) = self.handle(fact)?;
        let texture = Texture::read(name.text, rest.text)
            .map_err(|reason| rest.error(diagnostics::image("texture", name.text, &reason)))?;
        self.add(fact, name, Parameter::Texture(texture))
    }

    /// Parses a surface annotation, which declares a surface handle.
    fn surface(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (name, rest) = self.handle(fact)?;
        let surface = Surface::read(name.text, rest.text)
            .map_err(|reason| rest.error(diagnostics::image("surface", name.text, &reason)))?;
        self.add(fact, name, Parameter::Surface(surface))
    }

    /// Parses a multimem annotation, which declares a multimem address.
    fn multimem(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (name, members) = fact.split_init();
        let members = members.filter(|members| !members.text.is_empty() && !name.text.is_empty());
        let members = members.ok_or_else(|| fact.error(diagnostics::multimem_without_buffers()))?;
        let mut buffers = Vec::new();
        let mut rest = Some(members);
        while let Some(list) = rest {
            let (member, next) = list
                .split_once(',')
                .map_or((list, None), |(m, n)| (m, Some(n)));
            rest = next;
            if self.buffer_above(member.text).is_none() {
                return Err(member.error(diagnostics::no_buffer_above(member.text)));
            }
            buffers.push(member.text.to_owned());
        }
        let name_text = name.text.to_owned();
        self.add(
            fact,
            name,
            Parameter::Multimem {
                name: name_text,
                buffers,
            },
        )
    }

    /// Splits a texture or surface annotation into its name and its resource.
    fn handle<'t>(
        &self,
        fact: &AnnotationText<'t>,
    ) -> Result<(AnnotationText<'t>, AnnotationText<'t>), Box<Diagnostic>> {
        let (name, rest) = fact.split_init();
        let rest = rest.filter(|rest| !rest.text.is_empty() && !name.text.is_empty());
        let rest = rest.ok_or_else(|| fact.error(diagnostics::image_without_memory()))?;
        Ok((name, rest))
    }

    /// Parses a `start` annotation, which specifies the element of a buffer whose address the kernel receives.
    fn start(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (name, element) = fact.split_init();
        let element = element.ok_or_else(|| fact.error(diagnostics::no_start()))?;
        let start = element.number()?;
        match self.buffer_above(name.text) {
            Some(buffer) if buffer.start != 0 => {
                Err(name.error(diagnostics::fact_given_twice(name.text)))
            }
            Some(buffer) if start > buffer.len => {
                Err(element.error(diagnostics::start_outside(start, buffer.len)))
            }
            Some(buffer) => {
                buffer.start = start;
                Ok(())
            }
            None => Err(name.error(diagnostics::no_buffer_above(name.text))),
        }
    }

    /// Returns the buffer `name`, which a preceding line declares.
    fn buffer_above(&mut self, name: &str) -> Option<&mut Buffer> {
        let parameters = self.scenario.params.iter_mut();
        parameters
            .filter_map(|parameter| match parameter {
                Parameter::Buffer(buffer) => Some(buffer),
                Parameter::Scalar { .. }
                | Parameter::Struct { .. }
                | Parameter::Alias { .. }
                | Parameter::Tensormap(_)
                | Parameter::Texture(_)
                | Parameter::Surface(_)
                | Parameter::Multimem { .. } => None,
            })
            .find(|buffer| buffer.name == name)
    }

    fn register(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (name, value) = fact.split_init();
        let value = value.ok_or_else(|| fact.error(diagnostics::register_without_value()))?;
        let registers = &mut self.scenario.registers;
        if registers.iter().any(|other| other.name == name.text) {
            return Err(name.error(diagnostics::given_twice(name.text)));
        }
        initial_registers::read(name.text, value.text).map_err(|problem| value.error(problem))?;
        self.places.push((name.text.to_owned(), fact.span()));
        registers.push(InitialRegister {
            name: name.text.to_owned(),
            value: Literal::Text(value.text.to_owned()),
        });
        Ok(())
    }

    fn expect(&mut self, fact: &AnnotationText<'_>) -> Result<(), Box<Diagnostic>> {
        let (name, values) = fact.split_init();
        let values = values.ok_or_else(|| fact.error(diagnostics::no_expectation()))?;
        let literals = values.list()?;
        let mut arrays = self.scenario.arrays.iter_mut();
        if let Some(array) = arrays.find(|array| array.name == name.text) {
            let len = array.len().unwrap_or(u64::MAX);
            if array.expect.is_some() {
                return Err(name.error(diagnostics::fact_given_twice(name.text)));
            }
            if literals.len() as u64 > len {
                return Err(values.error(diagnostics::too_many_values(literals.len(), len)));
            }
            array.expect = Some(literals);
            return Ok(());
        }
        match self.buffer_above(name.text) {
            Some(buffer) if buffer.expect.is_some() => {
                Err(name.error(diagnostics::fact_given_twice(name.text)))
            }
            Some(buffer) if literals.len() as u64 > buffer.len => {
                let problem = diagnostics::too_many_values(literals.len(), buffer.len);
                Err(values.error(problem))
            }
            Some(buffer) => {
                buffer.expect = Some(literals);
                Ok(())
            }
            None => Err(name.error(diagnostics::no_buffer_above(name.text))),
        }
    }

    /// Returns the span of the fact with this name.
    pub fn place(&self, name: &str) -> Option<Span> {
        self.places
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, span)| *span)
    }

    fn add(
        &mut self,
        fact: &AnnotationText<'_>,
        name: AnnotationText<'_>,
        parameter: Parameter,
    ) -> Result<(), Box<Diagnostic>> {
        if self
            .scenario
            .params
            .iter()
            .any(|other| other.name() == name.text)
        {
            return Err(name.error(diagnostics::given_twice(name.text)));
        }
        self.places.push((name.text.to_owned(), fact.span()));
        self.names.push((name.text.to_owned(), name.span()));
        self.scenario.params.push(parameter);
        Ok(())
    }
}

/// Parses a value in the notation of `//@` lines. The error contains a message.
pub fn literal(text: &str) -> Result<Literal, String> {
    let read = AnnotationText::new(text, 0).literal();
    read.map_err(|problem| problem.message)
}

/// Parses the size of a grid, a block or a cluster in the notation of annotations, such as `32x8`.
pub fn extents(text: &str) -> Result<[u32; 3], String> {
    let read = AnnotationText::new(text, 0).extents();
    read.map_err(|problem| problem.message)
}

/// Returns the lines that specify a parameter, each starting with `mark`: one line, two lines for a buffer with a `start` element, and one
/// line per member for a structure.
pub(crate) fn lines_of(parameter: &Parameter, mark: &str) -> Vec<String> {
    match parameter {
        Parameter::Buffer(buffer) => {
            let Buffer { name, start, .. } = buffer;
            let start = (*start > 0).then(|| format!("{mark} start {name} = {start}"));
            let line = buffer_line(buffer, mark);
            std::iter::once(line).chain(start).collect()
        }
        Parameter::Scalar { name, ty, value } => {
            vec![format!("{mark} scalar {name}: {ty} = {value}")]
        }
        Parameter::Struct { fields, .. } => fields
            .iter()
            .flat_map(|field| lines_of(&field.parameter, mark))
            .collect(),
        Parameter::Alias { name, of } => vec![format!("{mark} alias {name} = {of}")],
        Parameter::Tensormap(map) => vec![format!("{mark} tensormap {}", map.line())],
        Parameter::Texture(texture) => vec![format!("{mark} texture {}", texture.line())],
        Parameter::Surface(surface) => vec![format!("{mark} surface {}", surface.line())],
        Parameter::Multimem { name, buffers } => {
            vec![format!("{mark} multimem {name} = {}", buffers.join(", "))]
        }
    }
}

fn buffer_line(buffer: &Buffer, mark: &str) -> String {
    let Buffer { name, ty, len, .. } = buffer;
    let extents: String = buffer.shape.iter().map(|n| format!("[{n}]")).collect();
    let array = match extents.is_empty() {
        true => format!("{ty}[{len}]"),
        false => format!("{ty}{extents}"),
    };
    format!("{mark} buffer {name}: {array} = {}", buffer.init.text())
}

/// Part of the text of an annotation, with its span in the source.
#[derive(Clone, Copy, Debug)]
struct AnnotationText<'a> {
    text: &'a str,
    start: usize,
}

impl<'a> AnnotationText<'a> {
    fn new(text: &'a str, start: usize) -> AnnotationText<'a> {
        let trimmed = text.trim_start();
        AnnotationText {
            text: trimmed.trim_end(),
            start: start + text.len() - trimmed.len(),
        }
    }

    fn part(&self, from: usize, to: usize) -> AnnotationText<'a> {
        AnnotationText::new(self.text.get(from..to).unwrap_or(""), self.start + from)
    }

    fn span(&self) -> Span {
        Span::new(
            self.start as u32,
            (self.start + self.text.len().max(1)) as u32,
        )
    }

    fn error(&self, problem: LaunchDiagnostic) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(
            problem.code,
            self.span(),
            problem.message,
        ))
    }

    fn split_word(&self) -> (AnnotationText<'a>, AnnotationText<'a>) {
        let end = self
            .text
            .find(char::is_whitespace)
            .unwrap_or(self.text.len());
        (self.part(0, end), self.part(end, self.text.len()))
    }

    fn words(&self) -> impl Iterator<Item = AnnotationText<'a>> {
        let mut rest = *self;
        std::iter::from_fn(move || {
            let (word, next) = rest.split_word();
            rest = next;
            (!word.text.is_empty()).then_some(word)
        })
    }

    fn split_once(&self, separator: char) -> Option<(AnnotationText<'a>, AnnotationText<'a>)> {
        let at = self.text.find(separator)?;
        Some((
            self.part(0, at),
            self.part(at + separator.len_utf8(), self.text.len()),
        ))
    }

    fn split_init(&self) -> (AnnotationText<'a>, Option<AnnotationText<'a>>) {
        self.split_once('=')
            .map_or((*self, None), |(left, right)| (left, Some(right)))
    }

    fn name_and_type(&self) -> Result<(AnnotationText<'a>, AnnotationText<'a>), Box<Diagnostic>> {
        match self.split_once(':') {
            Some((name, ty)) if !name.text.is_empty() => Ok((name, ty)),
            _ => Err(self.error(diagnostics::no_name_and_type())),
        }
    }

    fn number(&self) -> Result<u64, Box<Diagnostic>> {
        self.text
            .parse()
            .map_err(|_| self.error(diagnostics::not_a_number(self.text)))
    }

    fn schedule(&self) -> Result<Schedule, Box<Diagnostic>> {
        let parsed = self.text.parse();
        parsed.map_err(|reason| self.error(diagnostics::invalid_schedule(reason)))
    }

    fn misaligned(&self) -> Result<MisalignedPolicy, Box<Diagnostic>> {
        match self.text {
            "fault" => Ok(MisalignedPolicy::Fault),
            "force" => Ok(MisalignedPolicy::Force),
            _ => Err(self.error(diagnostics::not_a_way_to_align(self.text))),
        }
    }

    /// Parses sizes such as `4`, `4x2` or `4x2x1`. A comma is also accepted as the separator.
    fn extents(&self) -> Result<[u32; 3], Box<Diagnostic>> {
        let mut extents = [1; 3];
        let mut parts = self.text.split(['x', ',']);
        for extent in &mut extents {
            let Some(part) = parts.next() else { break };
            *extent = part
                .trim()
                .parse()
                .map_err(|_| self.error(diagnostics::not_extents(self.text)))?;
        }
        match parts.next() {
            None => Ok(extents),
            Some(_) => Err(self.error(diagnostics::too_many_extents())),
        }
    }

    fn element(&self) -> Result<ElementType, Box<Diagnostic>> {
        ElementType::from_name(self.text.trim_start_matches('.'))
            .ok_or_else(|| self.error(diagnostics::unknown_type(self.text)))
    }

    /// Parses an array type with its extents, such as `f32[16][16]`.
    fn array(&self) -> Result<(ElementType, Vec<u64>), Box<Diagnostic>> {
        let at = self.text.find('[').unwrap_or(self.text.len());
        let ty = self.part(0, at).element()?;
        let mut shape = Vec::new();
        let mut rest = self.part(at, self.text.len());
        while let Some((extent, next)) = rest
            .text
            .strip_prefix('[')
            .and_then(|text| text.split_once(']'))
        {
            let fact = AnnotationText::new(extent, rest.start + 1);
            shape.push(fact.number()?);
            rest = AnnotationText::new(next, rest.start + extent.len() + 2);
        }
        if !rest.text.is_empty() || shape.is_empty() || shape.len() > 8 {
            return Err(self.error(diagnostics::not_an_array(self.text)));
        }
        Ok((ty, shape))
    }

    fn literal(&self) -> Result<Literal, Box<Diagnostic>> {
        let text = self.text;
        let address = text
            .starts_with('&')
            .then(|| Literal::Text(text.to_owned()));
        let read = address.or_else(|| Literal::read(text));
        read.ok_or_else(|| self.error(diagnostics::not_a_literal(text)))
    }

    fn list(&self) -> Result<Vec<Literal>, Box<Diagnostic>> {
        let inner = self
            .text
            .trim_start_matches(['[', '{'])
            .trim_end_matches([']', '}']);
        let mut start =
            self.start + (self.text.len() - self.text.trim_start_matches(['[', '{']).len());
        let mut values = Vec::new();
        for part in inner.split(',') {
            let fact = AnnotationText::new(part, start);
            start += part.len() + 1;
            if !fact.text.is_empty() {
                values.push(fact.literal()?);
            }
        }
        Ok(values)
    }

    fn init(&self) -> Result<BufferInitializer, Box<Diagnostic>> {
        let pattern = Pattern::read(self.text)
            .map_err(|reason| self.error(diagnostics::unreadable_pattern(reason)))?;
        if let Some(pattern) = pattern {
            return Ok(BufferInitializer::Fill(Literal::Text(pattern.text())));
        }
        let is_list = self.text.contains(',') || self.text.starts_with(['[', '{']);
        if is_list {
            self.list().map(BufferInitializer::List)
        } else {
            self.literal().map(BufferInitializer::Fill)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(source: &str) -> Vec<String> {
        Annotations::parse(source, "//")
            .diagnostics
            .iter()
            .map(|d| format!("{}: {}", d.span.text(source), d.message))
            .collect()
    }

    #[test]
    fn launch_annotations_are_parsed() {
        let source = "//@ launch grid=2 block=16x8 shared=64 entry=k seed=3\n  //@ buffer out: f32[4][2] = 0\n//@ scalar n: s32 = -5\n//@ buffer x: u8[3] = 1, 2, 0xff\nst.u32 [p], r; //@ no fact\n";
        let read = Annotations::parse(source, "//");
        assert_eq!(read.diagnostics, vec![]);
        let scenario = read.scenario;
        assert_eq!(
            (scenario.grid, scenario.block),
            (Some([2, 1, 1]), Some([16, 8, 1]))
        );
        assert_eq!(
            (
                scenario.dynamic_shared,
                scenario.seed,
                scenario.entry.as_deref()
            ),
            (64, Some(3), Some("k"))
        );
        let Parameter::Buffer(out) = &scenario.params[0] else {
            panic!("a buffer comes first")
        };
        assert_eq!(
            (out.len, &out.shape[..], &out.init),
            (
                8,
                &[4, 2][..],
                &BufferInitializer::Fill(Literal::Integer(0))
            )
        );
        assert_eq!(scenario.params.len(), 3);
    }

    #[test]
    fn annotation_errors_are_reported_with_span() {
        assert_eq!(
            messages("//@ lunch grid=1"),
            [
                "lunch: found `lunch`, expected `title`, `about`, `launch`, `buffer`, `scalar`, `start`, `alias`, `tensormap`, `array`, `texture`, `surface`, `multimem`, `register`, `expect` or `source`"
            ]
        );
        assert_eq!(
            messages("//@ launch grid=1x2x3x4"),
            ["1x2x3x4: the shape has more than three extents"]
        );
        assert_eq!(
            messages("//@ buffer out: f33[4]"),
            ["f33: unknown type `f33`, expected a type such as `f32`, `u8` or `s64`"]
        );
        assert_eq!(
            messages("//@ alias q"),
            ["q: the alias names no buffer, expected an alias such as `//@ alias y = x`"]
        );
        assert_eq!(
            messages("//@ scalar n: u8 = 300"),
            ["n: u8 = 300: the value 300 does not fit in the type `u8`"]
        );
        assert_eq!(
            messages("//@ buffer a: u8[1]\n//@ buffer a: u8[1]"),
            ["a: duplicate `a`"]
        );
        assert_eq!(
            messages("//@ launch grid=1\n//@ launch block=32 grid=2"),
            ["grid: duplicate `grid`"]
        );
        assert_eq!(
            messages("//@ buffer a: u8[1]\n//@ expect a = 1\n//@ expect a = 2"),
            ["a: duplicate `a`"]
        );
        assert_eq!(
            messages("//@ buffer a: u8[1]\n//@ expect a = 1, 2"),
            ["1, 2: found 2 values for 1 element"]
        );
        assert_eq!(
            messages(
                "//@ buffer a: u8[4]\n//@ start a = 5\n//@ start a = 2\n//@ start a = 3\n//@ start b = 1"
            ),
            [
                "5: the element index 5 is out of bounds for a buffer of 4 elements",
                "a: duplicate `a`",
                "b: unknown buffer `b`: declare the buffer before this line"
            ]
        );
    }
}
