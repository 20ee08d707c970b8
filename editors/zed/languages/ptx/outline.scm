(function [".entry" ".func"] @context name: (identifier) @name) @item
(label name: (_) @name) @item
