//! Integration tests of the crate. All tests are in one binary, so that the emulator is linked only once.

#[path = "common/tensor.rs"]
mod cases;
mod common;
#[path = "common/folders.rs"]
mod folders;
#[path = "common/ptxas_verdicts.rs"]
mod ptxas_verdicts;

mod asynchronous;
mod causes;
mod compact_stores;
mod comparison;
mod corpus;
mod counterparts;
#[cfg(feature = "translate")]
mod distributed_runs;
#[cfg(feature = "paste")]
mod elementwise;
mod examples;
mod history;
mod host_documents;
mod inspect;
mod kernel_cases;
mod launch_edits;
mod launch_inference;
mod layouts;
mod learn;
mod legalization;
mod lens;
mod litmus;
mod litmus_extraction;
mod loaded_module;
mod machine_clusters;
mod machine_code;
mod machine_library;
mod machine_operations;
mod machine_pairs;
mod machine_stack;
mod machine_tensor;
mod manual;
mod matrix;
mod memory_export;
mod memory_search;
mod multimem;
mod narrow_floats;
mod operations;
mod paste;
mod reconvergence;
mod reduction;
mod sass_store_examples;
mod semantics_coverage;
mod session;
mod source_lines;
mod step_summaries;
mod stop_conditions;
mod tensor;
mod tensor_memory;
mod tensor_misuse;
mod tensor_modifiers;
mod tensor_steps;
mod textures;
mod timelines;
mod toy;
mod traffic;
mod warps;
