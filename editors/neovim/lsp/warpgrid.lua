-- Language server of Warpgrid for Neovim 0.11 and later: `vim.lsp.enable('warpgrid')` starts the server.
return {
  cmd = { 'warpgrid', 'lsp' },
  filetypes = { 'ptx', 'nvsass', 'cuda', 'cpp', 'c', 'python', 'rust', 'julia' },
  root_markers = { 'warpgrid.toml', '.git' },
  get_language_id = function(_, filetype)
    return ({ nvsass = 'sass', cuda = 'cuda-cpp' })[filetype] or filetype
  end,
  settings = {
    warpgrid = {
      inlayHints = { values = true },
      runValues = true,
    },
  },
}
