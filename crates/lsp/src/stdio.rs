//! Host on standard input and output: one thread reads messages, one thread per group executes tasks, and the calling thread owns the
//! server.

use crate::server::Server;
use crate::task::{Task, TaskGroup, TaskOutput};
use crate::workspace_files::DiskFiles;
use lsp_server::Message;
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Maximum size of a message in bytes.
const MAX_MESSAGE: usize = 1 << 30;

/// Input of the server thread.
enum Event {
    Message(Message),
    /// Message that is not valid JSON.
    Invalid(String),
    Output(TaskOutput),
    /// End of the input, or an error in the framing of the messages.
    End(String),
}

/// Runs the server until the client sends `exit` or closes the input. Returns whether the client has requested the
/// shutdown before, as the protocol demands.
pub fn run(input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<bool> {
    let (sender, events) = channel();
    let mut server = Server::with_files(Arc::new(DiskFiles::default()));
    let workers: HashMap<TaskGroup, Sender<Task>> = TaskGroup::ALL
        .into_iter()
        .map(|group| (group, worker(sender.clone())))
        .collect();
    thread::spawn(move || read_messages(input, &sender));
    for event in events {
        match event {
            Event::Message(message) => server.receive(message),
            Event::Invalid(reason) => server.reject(&reason),
            Event::Output(output) => server.finish(output),
            Event::End(reason) => {
                if !reason.is_empty() {
                    eprintln!("warpgrid lsp: {reason}");
                }
                return Ok(server.has_shut_down());
            }
        }
        for task in server.take_tasks() {
            // A worker ends only after its sender.
            if let Some(worker) = workers.get(&task.group) {
                let _ = worker.send(task);
            }
        }
        for message in server.take_outgoing() {
            write!(output, "Content-Length: {}\r\n\r\n{message}", message.len())?;
            output.flush()?;
        }
        if server.has_exited() {
            return Ok(server.has_shut_down());
        }
    }
    Ok(server.has_shut_down())
}

/// Starts a thread that executes tasks in their order.
fn worker(outputs: Sender<Event>) -> Sender<Task> {
    let (sender, tasks) = channel::<Task>();
    thread::spawn(move || {
        for task in tasks {
            if outputs.send(Event::Output(task.run())).is_err() {
                break;
            }
        }
    });
    sender
}

/// Reads messages until the end of the input.
fn read_messages(mut input: impl BufRead, events: &Sender<Event>) {
    loop {
        let event = match read_frame(&mut input) {
            Ok(Some(content)) => match serde_json::from_slice(&content) {
                Ok(message) => Event::Message(message),
                Err(reason) => Event::Invalid(reason.to_string()),
            },
            Ok(None) => Event::End(String::new()),
            Err(reason) => Event::End(reason.to_string()),
        };
        let is_end = matches!(event, Event::End(_));
        if events.send(event).is_err() || is_end {
            return;
        }
    }
}

/// Reads the header and the content of a message. Returns `None` at the end of the input.
fn read_frame(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let invalid = |reason: &str| io::Error::new(io::ErrorKind::InvalidData, reason.to_owned());
    let mut length: Option<usize> = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| invalid("a header line of a message has no colon"))?;
        if name.eq_ignore_ascii_case("Content-Length") {
            length = value.trim().parse().ok();
        }
    }
    let length = length.ok_or_else(|| invalid("a message has no valid Content-Length"))?;
    if length > MAX_MESSAGE {
        return Err(invalid("a message is larger than 1 GiB"));
    }
    let mut content = vec![0; length];
    input.read_exact(&mut content)?;
    Ok(Some(content))
}
