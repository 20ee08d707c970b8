-- File types of PTX and SASS. PreTeXt documents also have the extension `.ptx` but start with an XML tag, and Sass style sheets also have
-- the extension `.sass`.
local function first_text(buffer)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, 50, false)) do
    if line:match('%S') then
      return line
    end
  end
  return ''
end

local group = vim.api.nvim_create_augroup('warpgrid', { clear = true })

vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  group = group,
  pattern = '*.ptx',
  callback = function(event)
    vim.bo[event.buf].filetype = first_text(event.buf):match('^%s*<') and 'xml' or 'ptx'
  end,
})

vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  group = group,
  pattern = { '*.nvsass', '*.sass' },
  callback = function(event)
    local text = first_text(event.buf)
    local is_sass = event.match:match('%.nvsass$') or text:match('^%s*%.headerflags') or text:match('^%s*%.target%s+sm_')
      or text:match('^//@%s') or text:match('^//%-+ ') or text:match('^%s*/%*0+%*/') or text:match('^%s*code for sm_')
    if is_sass then
      vim.bo[event.buf].filetype = 'nvsass'
    end
  end,
})
