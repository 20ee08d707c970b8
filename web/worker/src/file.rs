//! A file of a compiler that a person has dropped on the page: it stays open, so that its programs become texts one by one. In: bytes, or the
//! number of a program; out: what the file holds, or a text.

use crate::protocol::{FileAnswer, FileRequest};
use warpgrid_view::compiled_file::CompiledFile;

/// The file that is open.
#[derive(Debug, Default)]
pub(crate) struct OpenFile {
    file: Option<CompiledFile>,
}

impl OpenFile {
    pub(crate) fn answer(&mut self, request: FileRequest) -> FileAnswer {
        match request {
            FileRequest::Open(bytes) => {
                // The old file goes first, so that its memory is free.
                self.file = None;
                match CompiledFile::open(&bytes) {
                    Ok(file) => {
                        let view = file.view();
                        self.file = Some(file);
                        FileAnswer::Opened(view)
                    }
                    Err(why) => FileAnswer::Refused(why),
                }
            }
            FileRequest::Text(program) => {
                let text = self.file.as_ref().and_then(|file| file.text(program));
                text.map_or_else(|| FileAnswer::Refused(GONE.to_owned()), FileAnswer::Text)
            }
            FileRequest::Close => {
                self.file = None;
                FileAnswer::Closed
            }
        }
    }
}

/// The worker may have been started anew since.
const GONE: &str = "the file is no longer open: open the file again";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_none_is_refused_with_a_sentence() {
        let mut open = OpenFile::default();
        let answer = open.answer(FileRequest::Open(b"\x7fELF".to_vec()));
        assert!(matches!(answer, FileAnswer::Refused(why) if why.contains(".nv_fatbin")));
        let answer = open.answer(FileRequest::Text(0));
        assert_eq!(answer, FileAnswer::Refused(GONE.to_owned()));
    }
}
