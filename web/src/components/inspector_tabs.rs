//! Tabs of the inspector, which select a group of cards. The style sheet hides the other group, so that the cards keep their state.
//! `web/editor/tab-keys.js` handles the arrow keys.

use crate::storage;
use yew::prelude::*;

/// Names and labels of the tabs. The `data-tab` attribute of a group of cards contains the name of its tab.
const TABS: [(&str, &str, &str); 2] = [
    (
        "threads",
        "Threads",
        "Blocks, barriers, asynchronous operations, lanes and registers of the current step, and conditional runs",
    ),
    (
        "watch",
        "Watch",
        "Watch expressions, the comparison of steps, custom layouts, memory overviews and JIT runs",
    ),
];
/// Storage key of the selected tab.
const STORAGE_KEY: &str = "inspector-tab";

#[component]
pub(crate) fn InspectorTabs() -> Html {
    let selected = use_state_eq(|| {
        let stored = storage::get(STORAGE_KEY);
        let stored = TABS.iter().find(|tab| stored.as_deref() == Some(tab.0));
        stored.unwrap_or(&TABS[0]).0
    });
    let tab = |&(name, label, title): &(&'static str, &'static str, &'static str)| {
        let is_selected = *selected == name;
        let selected = selected.clone();
        let onclick = move |_: MouseEvent| {
            storage::set(STORAGE_KEY, name);
            selected.set(name);
        };
        html! {
            <button class="text-button" role="tab" data-tab={name} {title} aria-selected={is_selected.to_string()}
                tabindex={if is_selected { "0" } else { "-1" }} {onclick}>{ label }</button>
        }
    };
    // The style sheet reads the selected tab from the list of tabs.
    html! { <div class="inspector-tabs" role="tablist" aria-label="Inspector" data-selected={*selected}>{ for TABS.iter().map(tab) }</div> }
}
