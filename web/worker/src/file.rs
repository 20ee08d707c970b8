//! Compiled file that the user dropped on the page. The file remains open, so that its code objects can be converted to text one by one.
//! Input: the bytes of a file, or the index of a code object. Output: the list of code objects, or the text of a code object.

use crate::protocol::{FileAnswer, FileRequest};
use warpgrid_view::compiled_file::CompiledFile;

/// The open file.
#[derive(Debug, Default)]
pub(crate) struct OpenFile {
    file: Option<CompiledFile>,
}

impl OpenFile {
    pub(crate) fn answer(&mut self, request: FileRequest) -> FileAnswer {
        match request {
            FileRequest::Open(bytes) => {
                // The previous file is dropped first in order to free its memory.
                self.file = None;
                match CompiledFile::open(&bytes) {
                    Ok(file) => {
                        let view = file.view();
                        self.file = Some(file);
                        FileAnswer::Opened(view)
                    }
                    Err(reason) => FileAnswer::Refused(reason),
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

/// Error message for a request without an open file, which occurs if the worker was restarted after the file was opened.
const GONE: &str = "the file is no longer open: open the file again";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_file_is_rejected_with_message() {
        let mut open = OpenFile::default();
        let answer = open.answer(FileRequest::Open(b"\x7fELF".to_vec()));
        assert!(matches!(answer, FileAnswer::Refused(reason) if reason.contains(".nv_fatbin")));
        let answer = open.answer(FileRequest::Text(0));
        assert_eq!(answer, FileAnswer::Refused(GONE.to_owned()));
    }
}
