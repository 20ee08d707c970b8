;;; warpgrid-tables.el --- Word lists of PTX  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Generated from editors/templates/warpgrid-tables.el and the instruction
;; tables; `UPDATE_EXPECT=1 cargo test -p xtask --test grammars' writes it.

;;; Code:

(defconst warpgrid-ptx-opcodes
  '({{ptx.opcodes lines}})
  "Opcodes of PTX instructions.")

(defconst warpgrid-ptx-types
  '({{ptx.types lines}})
  "Types without the leading dot.")

(defconst warpgrid-ptx-directives
  '({{ptx.directives lines}})
  "Directives without the leading dot.")

(defconst warpgrid-ptx-spaces
  '({{ptx.spaces lines}})
  "State spaces without the leading dot.")

(defconst warpgrid-ptx-linkage
  '({{ptx.linkage lines}})
  "Linkage directives without the leading dot.")

(defconst warpgrid-ptx-special-registers
  '({{ptx.special_registers lines}})
  "Special registers without percent sign and component.")

(provide 'warpgrid-tables)

;;; warpgrid-tables.el ends here
