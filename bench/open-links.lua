-- Asks for one path after another. Use: wrk -s open-links.lua URL -- FILE, with one path on each
-- line.
local paths = {}
local at = 0

function init(args)
  for path in io.lines(args[1]) do paths[#paths + 1] = path end
  -- Each thread of wrk starts at a random path, so that the threads do not ask for the same path at
  -- once.
  at = math.random(#paths)
end

function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
