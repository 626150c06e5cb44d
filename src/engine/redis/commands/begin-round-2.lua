#!lua
--[[
  Begins the next round of a poll: moves the poll with everything of its ballots to a key of its
  own, closed, and creates it again under its own key, all in one step, so that no ballot counts in
  another round. Raises the version and publishes a hint. Call keep-poll-1.lua after it.

  KEYS  1 poll
        2 earlier       the key of the round that ends: that of the poll, `~` and the number of the
                        round
  ARGV  1 publish       PUBLISH, or SPUBLISH in a cluster
        2 channel       of the poll
        3 round         the number of the round that the poll must have
        4 seen          the state that the poll must have, as in change-poll-1.lua: the definition
                        was made from it
        5 images        how many names of images follow, which the poll keeps
        6...            `image:<file>` for each, then names and values of the fields of the new
                        round, as in create-poll-1.lua: the definition is JSON with `"roundFrom":0`,
                        in place of which the version is stored
  Reply 1 begun, 0 there is no such poll or it is not as expected: nothing is changed
]]
local call = redis.call
local names = { 'version', 'round', 'edition', 'sequence', 'closed', 'deadline', 'settled', 'visibility', 'closes_in', 'revealed' }
local state = {}
for at, value in ipairs(call('HMGET', KEYS[1], unpack(names))) do state[names[at]] = value or '' end
if state.version == '' or (state.round ~= '' and state.round or '1') ~= ARGV[3] then return 0 end

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local over = state.deadline ~= '' and now >= tonumber(state.deadline)
local status = over and 'closed' or state.closed == 'upcoming' and state.closed or state.closed ~= '' and 'closed' or 'open'
local seen = { status, state.deadline, state.visibility, state.closes_in, state.edition, state.revealed }
if table.concat(seen, ' ') ~= ARGV[4] then return 0 end
-- A passed deadline has a version of its own, stored or not, and readers may have seen it: see
-- read-poll-1.lua.
local version = string.format('%d', state.version + (over and state.settled ~= state.deadline and 2 or 1))
local closed = (over or tonumber(state.closed)) and state.closed or string.format('%d', now)

local fields = { 'version', version }
local function set(field, value) fields[#fields + 1], fields[#fields + 2] = field, value end
for at = 6 + ARGV[5], #ARGV, 2 do
  local value = ARGV[at + 1]
  -- Quotes inside a text are escaped, so a text cannot look like a member.
  if ARGV[at] == 'definition' then value = string.gsub(value, '"roundFrom":0', '"roundFrom":' .. version, 1) end
  set(ARGV[at], value)
end
local kept = { 'admin', 'view', 'retention', 'created', unpack(ARGV, 6, 5 + ARGV[5]) }
-- A poll with votes in an earlier round is not without a ballot.
if state.sequence == '0' then kept[#kept + 1] = 'empty' end
for _, name in ipairs(kept) do
  local value = call('HGET', KEYS[1], name)
  if value then set(name, value) end
end
call('HSET', KEYS[1], 'version', version, 'closed', closed, 'settled', over and state.deadline or state.settled)
call('RENAME', KEYS[1], KEYS[2])
call('HSET', KEYS[1], unpack(fields))
redis.set_repl(redis.REPL_NONE)
redis.pcall(ARGV[1], ARGV[2], '')
return 1
