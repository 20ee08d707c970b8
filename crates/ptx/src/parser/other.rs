//! Texts in another language: who pastes a kernel before it was compiled reads how to get PTX from it, not what is wrong with
//! each of its lines as PTX.

use super::Parser;
use crate::diagnostics::syntax;
use crate::lexer::{self, TokenKind};
use crate::tree::SourceKind;
use warpgrid_program::Diagnostic;

/// Words that no PTX has, the language they are of, and the way from there to PTX.
const LANGUAGES: &[(&[&str], &str, &str)] = &[
    (
        &[
            "__global__",
            "__device__",
            "__shared__",
            "threadIdx",
            "blockIdx",
            "__syncthreads",
        ],
        "CUDA C++",
        "compile it with `nvcc -ptx`, or with PTX as output on a compiler page such as Compiler Explorer, and paste what comes out",
    ),
    (
        &["__kernel", "get_global_id", "get_local_id"],
        "OpenCL C",
        "compile it with `clang --target=nvptx64-nvidia-nvcl -S`, and paste what comes out",
    ),
    (
        &["getelementptr", "source_filename", "addrspace"],
        "LLVM IR",
        "compile it with `llc -march=nvptx64`, and paste what comes out",
    ),
    (
        &["triton", "numba", "cupy"],
        "Python",
        "compile it, and paste the PTX: Triton has it as `kernel.asm[\"ptx\"]`, Numba as `kernel.inspect_asm()`",
    ),
];

/// How many tokens are looked at: a kernel shows its language in its first lines.
const N_TOKENS: usize = 4000;

impl Parser<'_> {
    /// What to say of a text that is no PTX and that says which language it is in; `None` for all others.
    #[cold]
    pub(super) fn other_language(&self) -> Option<Diagnostic> {
        let is_broken = !self.diagnostics.is_empty() && self.tree.kind == SourceKind::Snippet;
        if !is_broken {
            return None;
        }
        let mut at = 0;
        for _ in 0..N_TOKENS {
            let token = lexer::token_at(self.cursor.source, at);
            at = token.span.end as usize;
            match token.kind {
                TokenKind::End => return None,
                TokenKind::Word | TokenKind::Name => {}
                _ => continue,
            }
            let word = token.span.text(self.cursor.source);
            let known = LANGUAGES.iter().find(|(words, ..)| words.contains(&word));
            if let Some((_, language, way)) = known {
                return Some(syntax::other_language(token.span, language, way));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostics::syntax::OTHER_LANGUAGE;

    fn is_other(source: &str) -> bool {
        let parse = crate::parse(source);
        let found = crate::check(source, &parse, &crate::Options::default()).diagnostics;
        assert!(found.len() == 1 || found.iter().all(|d| d.code != OTHER_LANGUAGE));
        found.iter().any(|d| d.code == OTHER_LANGUAGE)
    }

    #[test]
    fn kernels_before_the_compiler_are_known_by_their_words() {
        for source in [
            "#include <cstdint>\n__global__ void k(int *x)\n{\n  x[threadIdx.x] = 1;\n}\n",
            "x[blockIdx.x * blockDim.x + threadIdx.x] = y;",
            "template <typename T>\nextern \"C\" __global__ void k(T *x) { *x = {}; }",
            "__kernel void k(__global float *x) { x[get_global_id(0)] = 1; }",
            "define void @k(ptr addrspace(1) %x) {\n  ret void\n}",
            "import triton\n\n@triton.jit\ndef k(x):\n    pass\n",
        ] {
            assert!(is_other(source), "{source}");
        }
    }

    #[test]
    fn ptx_is_never_taken_for_another_language() {
        for source in [
            "",
            "// __global__ void k(int *x)\nst.global.u32 [%rd1] %r1;",
            "/* x[threadIdx.x] = 1; */ ret",
            ".version 8.0\n.target sm_90\n.entry __global__() { ret }",
            "mov.u32 threadIdx, %tid.x;",
            "hello world",
        ] {
            assert!(!is_other(source), "{source}");
        }
    }
}
