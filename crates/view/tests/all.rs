//! Integration tests of the crate. All tests are in one binary, so that the emulator is linked only once.

#[path = "common/tensor.rs"]
mod cases;
mod common;
#[path = "common/folders.rs"]
mod folders;
#[path = "common/verdict.rs"]
mod verdict;

mod asynchronous;
mod beside;
mod causes;
mod corpus;
mod counterparts;
mod cut;
mod documented_stores;
mod examples;
mod expansions;
mod find;
mod history;
mod inspect;
mod kernel_cases;
mod layouts;
mod learn;
mod lens;
mod litmus;
mod machine_clusters;
mod machine_code;
mod machine_library;
mod machine_operations;
mod machine_pairs;
mod machine_stack;
mod machine_tensor;
mod manual;
mod matrix;
mod meanings;
mod multimem;
mod narrow;
mod operations;
mod paste;
mod pictures;
mod regions;
mod sentences;
mod session;
#[cfg(feature = "translate")]
mod shared;
mod start;
mod tensor;
mod tensor_memory;
mod tensor_misuse;
mod tensor_steps;
mod tensor_words;
mod textures;
mod toy;
mod traffic;
mod until;
mod warps;
