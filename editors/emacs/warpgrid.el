;;; warpgrid.el --- PTX mode and language server of Warpgrid  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages, tools
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; This package provides `warpgrid-ptx-mode', a major mode for PTX, and
;; registers the language server `warpgrid lsp' with Eglot and lsp-mode.

;;; Code:

(require 'warpgrid-tables)

(defvar eglot-server-programs)
(defvar lsp-language-id-configuration)
(declare-function lsp-register-client "ext:lsp-mode" (client))
(declare-function make-lsp-client "ext:lsp-mode" (&rest arguments))
(declare-function lsp-stdio-connection "ext:lsp-mode" (command))
(declare-function lsp-activate-on "ext:lsp-mode" (&rest languages))

(defgroup warpgrid nil
  "Checker and emulator of PTX and SASS."
  :group 'languages)

(defcustom warpgrid-command '("warpgrid" "lsp")
  "Command of the language server."
  :type '(repeat string))

(defcustom warpgrid-indent-offset 4
  "Number of columns of an indentation level."
  :type 'integer
  :safe #'integerp)

(defun warpgrid--words (words)
  "Return a regular expression that matches any of WORDS as a whole."
  (concat (regexp-opt words) "\\(?:[^[:alnum:]_:$]\\|$\\)"))

(defconst warpgrid-ptx-font-lock-keywords
  (let ((name "[[:alnum:]_$]+"))
    `((,(concat "^[ \t]*\\([[:alpha:]_$%]" name "\\)[ \t]*:\\(?:[^:]\\|$\\)") 1 font-lock-constant-face)
      (,(concat "@!?[ \t]*[%$]?" name) 0 font-lock-preprocessor-face)
      (,(concat "%" (regexp-opt warpgrid-ptx-special-registers) "\\_>\\(?:\\.[xyzw]\\>\\)?") 0 font-lock-builtin-face)
      (,(concat "%" name) 0 font-lock-variable-name-face)
      (,(concat "\\.\\(?:entry\\|func\\)[ \t]+\\(?:([^)]*)[ \t]*\\)?\\(" name "\\)") 1 font-lock-function-name-face)
      (,(concat "\\(\\.\\)" (warpgrid--words warpgrid-ptx-types))
       (0 font-lock-type-face))
      (,(concat "\\." (warpgrid--words
                       (append warpgrid-ptx-directives warpgrid-ptx-spaces warpgrid-ptx-linkage)))
       0 font-lock-preprocessor-face)
      (,(concat "\\(?:^\\|[;{}:[:space:]]\\)\\(" (regexp-opt warpgrid-ptx-opcodes) "\\)[.;[:space:]]") 1 font-lock-keyword-face)))
  "Font lock keywords of `warpgrid-ptx-mode'.")

(defvar warpgrid-ptx-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?$ "_" table)
    (modify-syntax-entry ?% "_" table)
    table)
  "Syntax table of `warpgrid-ptx-mode'.")

(defun warpgrid-ptx-indent-line ()
  "Indent the current line by the depth of its braces."
  (interactive)
  (let* ((column (save-excursion
                   (back-to-indentation)
                   (let ((depth (car (syntax-ppss))))
                     (cond ((looking-at "[})]") (1- depth))
                           ((looking-at "[[:alnum:]_$%]+[ \t]*:\\(?:[^:]\\|$\\)") (max 0 (1- depth)))
                           (t depth)))))
         (position (- (current-column) (current-indentation))))
    (indent-line-to (* (max 0 column) warpgrid-indent-offset))
    (when (> position 0)
      (forward-char position))))

;;;###autoload
(define-derived-mode warpgrid-ptx-mode prog-mode "PTX"
  "Major mode for PTX."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?://+\\|/\\*+\\)[ \t]*")
  (setq-local indent-line-function #'warpgrid-ptx-indent-line)
  (setq-local font-lock-defaults '(warpgrid-ptx-font-lock-keywords)))

(defun warpgrid-ptx-or-xml-mode ()
  "Select the mode of a file with the extension `.ptx'.
PreTeXt documents, which are XML, have the same extension."
  (if (save-excursion
        (goto-char (point-min))
        (looking-at-p "[[:space:]]*<"))
      (nxml-mode)
    (warpgrid-ptx-mode)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ptx\\'" . warpgrid-ptx-or-xml-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons '(warpgrid-ptx-mode :language-id "ptx") warpgrid-command)))

(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(warpgrid-ptx-mode . "ptx"))
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () warpgrid-command))
    :activation-fn (lsp-activate-on "ptx")
    :server-id 'warpgrid)))

(provide 'warpgrid)

;;; warpgrid.el ends here
