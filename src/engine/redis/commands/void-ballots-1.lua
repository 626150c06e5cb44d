#!lua flags=allow-oom
--[[
  Takes ballots out of the counts or back into them, raises the version and publishes a hint. Skips
  ballots that are there already or unknown, and changes, so a retry changes nothing. Allowed when
  Redis is out of memory: it adds one byte to a ballot. Voters, addresses and proofs stay used.

  KEYS  1 poll
  ARGV  1 publish       PUBLISH, or SPUBLISH in a cluster
        2 channel       of the poll
        3 expected      the rules that must be stored, empty for none
        4 rules         to store
        5 voided        1 takes the ballots out of the counts, 0 puts them back
  and up to 500 ballot ids.
  Reply 1 done, 0 other rules are stored or there is no such poll: nothing is changed
]]
local call, format, poll = redis.call, string.format, KEYS[1]
local state = call('HMGET', poll, 'version', 'voters', 'deadline', 'settled', 'voided', 'void_rules')
local version, voters, deadline, settled, voided, rules = state[1], state[2], state[3], state[4], state[5], state[6]
if not version or (rules or '') ~= ARGV[3] then return 0 end

local names, seen, votes, moved, ballots, people = {}, {}, {}, 0, 0, 0
for at = 6, #ARGV do names[#names + 1] = 'b:' .. ARGV[at] end
local found = #names > 0 and call('HMGET', poll, unpack(names)) or {}
local mark, step = ARGV[5] == '1' and '!' or '', ARGV[5] == '1' and -1 or 1
local entries = { 'void_rules', ARGV[4] }
local function set(field, value) entries[#entries + 1], entries[#entries + 2] = field, value end
for index, name in ipairs(names) do
  -- Sequence, version and time; the mark; then network, answers and name: see create-poll-1.lua.
  local head, marked, rest, tag, answers = string.match(found[index] or '', '^(%d+ %d+ %d+ )(!?)(([^< ]*) (%S*) .*)$')
  if head and marked ~= mark and not seen[name] then
    seen[name], ballots = true, ballots + 1
    -- A withdrawn ballot counts no voter.
    if answers ~= '' then people = people + 1 end
    set(name, head .. mark .. rest)
    for answer in string.gmatch(answers, '[^,]+') do
      local counter = 'votes:' .. answer
      votes[counter] = (votes[counter] or call('HGET', poll, counter)) + step
      moved = moved + step
    end
    local platform = string.match(tag, '^@(%l+)')
    if platform and answers ~= '' then
      local counter = 'chat:' .. platform
      votes[counter] = (votes[counter] or call('HGET', poll, counter) or 0) + step
    end
  end
end
if ballots > 0 then
  local time = call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  -- A passed deadline has a version of its own, stored or not, and readers may have seen it: see
  -- read-poll-1.lua.
  if deadline ~= '' and deadline ~= settled and now >= tonumber(deadline) then
    version = version + 1
    set('settled', deadline)
  end
  set('version', format('%d', version + 1))
  set('voters', format('%d', voters + step * people))
  set('voided', format('%d', (voided or 0) - moved))
  for counter, count in pairs(votes) do set(counter, format('%d', count)) end
end
call('HSET', poll, unpack(entries))
if ballots > 0 then
  redis.set_repl(redis.REPL_NONE)
  redis.pcall(ARGV[1], ARGV[2], '')
end
return 1
