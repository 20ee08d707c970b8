//! Property test of the grammar: parentheses around the operation with the higher precedence do not change the syntax tree.

use crate::expression::tree::LEVELS;
use crate::expression::tree::WatchExpression;

const OPERANDS: [&str; 7] = [
    "%r5",
    "v.x",
    "-0X1e",
    "1.5e-3",
    "inf",
    "shared:0[~7][!.5]",
    "f32(out[a%3])",
];

#[test]
fn parse_matches_explicit_parentheses_for_operator_pairs() {
    let levels = LEVELS.iter().enumerate();
    let signs = levels.flat_map(|(level, of)| of.iter().map(move |(sign, _)| (level, sign)));
    let signs: Vec<_> = signs.collect();
    let mut operands = OPERANDS.iter().cycle();
    for (first, (level, sign)) in signs.iter().flat_map(|a| signs.iter().map(move |b| (a, b))) {
        let [a, b, c] = [(); 3].map(|()| operands.next().unwrap_or(&""));
        let plain = WatchExpression::read(&format!("{a}{}{b} {sign} {c}", first.1));
        assert!(plain.is_ok(), "{plain:?}");
        let explicit = match first.0 >= *level {
            true => format!("({a} {} {b}){sign}({c})", first.1),
            false => format!("{a} {} ({b}{sign}{c})", first.1),
        };
        assert_eq!(plain, WatchExpression::read(&explicit), "{explicit}");
    }
}
