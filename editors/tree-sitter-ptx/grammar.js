/**
 * Tree-sitter grammar of PTX. The grammar describes the syntax of statements and operands; `tables.json` contains the opcodes, types,
 * state spaces and special registers, which are generated from the instruction tables of Warpgrid.
 */

/// <reference types="tree-sitter-cli/dsl" />

const tables = require("./tables.json");

const dotted = (words) => choice(...words.map((word) => `.${word}`));
const commaSeparated1 = (rule) => seq(rule, repeat(seq(",", rule)));
const commaSeparated = (rule) => optional(commaSeparated1(rule));

/** Binary operators of constant expressions, from the lowest to the highest precedence. */
const OPERATORS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]];
const UNARY = OPERATORS.length + 1;
const POSTFIX = UNARY + 1;

module.exports = grammar({
  name: "ptx",

  extras: ($) => [/[\s\uFEFF]/, $.comment, $.annotation, $.line_marker],

  word: ($) => $.identifier,

  supertypes: ($) => [$._statement, $._expression],

  rules: {
    source_file: ($) => repeat($._statement),

    _statement: ($) => choice(
      $.version_directive,
      $.target_directive,
      $.address_size_directive,
      $.file_directive,
      $.location_directive,
      $.section_directive,
      $.pragma_directive,
      $.alias_directive,
      $.call_prototype,
      $.target_list,
      $.variable_declaration,
      $.function,
      $.block,
      $.label,
      $.instruction,
    ),

    // Directives.
    version_directive: ($) => seq(".version", field("version", $.float)),
    target_directive: ($) => prec.right(seq(".target", commaSeparated1($.target))),
    target: ($) => $.identifier,
    address_size_directive: ($) => seq(".address_size", $.integer),
    file_directive: ($) => prec.right(seq(".file", $.integer, $.string, repeat(seq(",", $.integer)))),
    location_directive: ($) => prec.right(seq(
      ".loc", $.integer, $.integer, $.integer,
      repeat(seq(",", choice(
        seq("function_name", $.identifier, optional(seq("+", $.integer))),
        seq("inlined_at", $.integer, $.integer, $.integer),
      ))),
    )),
    pragma_directive: ($) => seq(".pragma", commaSeparated1($.string), ";"),
    alias_directive: ($) => seq(".alias", $.identifier, ",", $.identifier, ";"),

    section_directive: ($) => seq(".section", field("name", choice($.section_name, $.identifier)), "{", repeat(choice($.label, $.section_data)), "}"),
    section_data: ($) => seq($.type, commaSeparated1(choice($._expression, $.section_offset))),
    section_offset: ($) => seq($.section_name, optional(seq("+", $.integer))),
    section_name: ($) => $._dotted_word,

    // Declarations.
    variable_declaration: ($) => seq(
      repeat($.linkage),
      $.state_space,
      repeat($._declaration_attribute),
      commaSeparated1($.declarator),
      ";",
    ),
    _declaration_attribute: ($) => choice($.alignment, $.attribute, $.type, $.vector_width, $.pointer),
    alignment: ($) => seq(".align", $.integer),
    attribute: ($) => seq(".attribute", "(", commaSeparated1(seq(choice(".managed", ".unified"), optional($.list))), ")"),
    pointer: ($) => prec.right(seq(".ptr", optional($.state_space), optional($.alignment))),
    declarator: ($) => seq(
      field("name", $._name),
      optional(seq("<", $.integer, ">")),
      repeat(seq("[", optional($._expression), "]")),
      optional(seq("=", field("value", $._expression))),
    ),
    field_initializer: ($) => seq($.identifier, "=", $._expression),

    function: ($) => seq(
      repeat($.linkage),
      choice(".entry", ".func"),
      repeat($.attribute),
      optional(field("results", $.parameter_list)),
      field("name", $.identifier),
      optional(field("parameters", $.parameter_list)),
      repeat($.function_directive),
      choice(field("body", $.block), ";"),
    ),
    parameter_list: ($) => seq("(", commaSeparated($.parameter), ")"),
    parameter: ($) => seq($.state_space, repeat($._declaration_attribute), $.declarator),
    function_directive: ($) => prec.right(choice(
      seq(choice(
        ".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".maxnreg", ".reqnctapercluster", ".maxclusterrank", ".abi_preserve",
        ".abi_preserve_control", ".abi_preserve_after", ".local_maxnreg", ".language",
      ), commaSeparated(choice($.integer, $.string, $.identifier))),
      ".noreturn", ".explicitcluster", ".blocksareclusters",
      $.pragma_directive,
    )),
    call_prototype: ($) => seq(
      $.label, ".callprototype",
      optional(field("results", $.parameter_list)), $.identifier, optional(field("parameters", $.parameter_list)),
      repeat($.function_directive), ";",
    ),
    target_list: ($) => seq($.label, choice(".calltargets", ".branchtargets"), commaSeparated1($.identifier), ";"),

    linkage: () => token(dotted(tables.linkage)),
    state_space: () => token(seq(dotted(tables.spaces), optional(/::\w+/))),
    type: () => token(dotted(tables.types)),
    vector_width: () => token(choice(".v2", ".v4", ".v8")),

    // Statements.
    block: ($) => seq("{", repeat($._statement), "}"),
    label: ($) => seq(field("name", $._name), ":"),
    instruction: ($) => seq(optional($.guard), $.opcode, repeat($._modifier), commaSeparated($._expression), ";"),
    guard: ($) => seq("@", optional("!"), $._name),
    opcode: ($) => choice(...tables.opcodes, $.identifier),
    _modifier: ($) => choice($.type, $.modifier),
    modifier: ($) => $._dotted_word,
    _dotted_word: () => token(/\.\d*[A-Za-z_][\w$]*(::\w+)*/),

    // Operands.
    _expression: ($) => choice(
      $.integer,
      $.float,
      $.string,
      $._name,
      $.special_register,
      $.component,
      $.vector,
      $.address,
      $.subscript,
      $.list,
      $.cast,
      $.application,
      $.unary_expression,
      $.binary_expression,
      $.conditional_expression,
    ),
    _name: ($) => choice($.identifier, $.register),
    component: ($) => prec(POSTFIX, seq(choice($._name, $.subscript), $.modifier)),
    special_register: ($) => prec.right(POSTFIX, seq($._special_name, optional($.modifier))),
    // A vector operand, or the initial value of an array or an opaque variable.
    vector: ($) => seq("{", commaSeparated(choice($._expression, $.field_initializer)), "}"),
    address: ($) => seq("[", commaSeparated1($._expression), "]"),
    subscript: ($) => prec(POSTFIX, seq($._name, "[", $._expression, "]")),
    list: ($) => seq("(", commaSeparated($._expression), ")"),
    cast: ($) => prec(UNARY, seq("(", $.type, ")", $._expression)),
    // `generic(variable)`, or a mask of address bits such as `0xFF00(variable)`.
    application: ($) => prec(POSTFIX, seq(choice($.identifier, $.integer), $.list)),
    unary_expression: ($) => prec(UNARY, seq(choice("-", "+", "!", "~"), $._expression)),
    binary_expression: ($) => choice(...OPERATORS.flatMap((operators, level) =>
      operators.map((operator) => prec.left(level + 1, seq($._expression, field("operator", operator), $._expression))))),
    conditional_expression: ($) => prec.right(0, seq($._expression, "?", $._expression, ":", $._expression)),

    // Tokens.
    identifier: () => /[A-Za-z_][\w$]*|\$[\w$]+/,
    _special_name: () => token(choice(...tables.specialRegisters.map((name) => `%${name}`))),
    register: () => /%[\w$]+/,
    integer: () => token(choice(/0[xX][0-9A-Fa-f]+U?/, /0[bB][01]+U?/, /\d+U?/)),
    float: () => token(choice(/0[fF][0-9A-Fa-f]{8}/, /0[dD][0-9A-Fa-f]{16}/, /\d+\.\d*([eE][-+]?\d+)?/, /\.\d+([eE][-+]?\d+)?/, /\d+[eE][-+]?\d+/)),
    string: () => token(seq('"', /([^"\\\n]|\\.)*/, '"')),
    comment: () => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
    annotation: () => token(prec(1, /\/\/@[^\n]*/)),
    line_marker: () => token(/#[ \t]*(line[ \t]*)?\d+[ \t]+"[^"\n]*"[^\n]*/),
  },
});
