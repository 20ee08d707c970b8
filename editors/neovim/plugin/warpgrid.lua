-- Starts the language server. Neovim 0.11 reads `lsp/warpgrid.lua`, Neovim 0.8 to 0.10 require `vim.lsp.start`, and earlier versions require
-- `vim.lsp.start_client`.
local folder = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
local config = dofile(folder .. '/lsp/warpgrid.lua')

vim.api.nvim_create_user_command('WarpgridCheckOnTarget', function(options)
  local target = options.args ~= '' and options.args or vim.NIL
  for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    if client.name == 'warpgrid' then
      client.config.settings.warpgrid.target = target
      client.notify('workspace/didChangeConfiguration', { settings = client.config.settings })
    end
  end
end, { nargs = '?', desc = 'Check the buffers for another target, such as sm_90a' })

if vim.lsp.enable then
  vim.lsp.enable('warpgrid')
  return
end

local client_of_root = {}

-- Starts the server in releases without `vim.lsp.start`, and attaches the buffer. Buffers with the same root share one server.
local function start_client(options, buffer)
  local client = client_of_root[options.root_dir] or vim.lsp.start_client(options)
  client_of_root[options.root_dir] = client
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = config.filetypes,
  callback = function(event)
    local name = vim.api.nvim_buf_get_name(event.buf)
    local start = vim.lsp.start or function(options)
      start_client(options, event.buf)
    end
    start(vim.tbl_extend('force', config, { name = 'warpgrid', root_dir = vim.fn.fnamemodify(name, ':p:h') }))
  end,
})
