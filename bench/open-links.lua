-- Requests one path after another. Usage: wrk -s open-links.lua URL -- FILE, where FILE has one path
-- per line.
local paths = {}
local at = 0

function init(args)
  for path in io.lines(args[1]) do paths[#paths + 1] = path end
  -- Each wrk thread starts at a random path, so that threads don't request the same path at once.
  at = math.random(#paths)
end

function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
