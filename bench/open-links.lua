-- Asks for one path after the other: wrk -s open-links.lua URL -- FILE, with a path on each line.
local paths = {}
local at = 0

function init(args)
  for path in io.lines(args[1]) do paths[#paths + 1] = path end
  -- Each of wrk's threads has a state of its own and should not walk in step with the others.
  at = math.random(#paths)
end

function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
