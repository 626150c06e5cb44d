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
        5 definition    JSON with `"roundFrom":0`, in place of which the version is stored
        6 edition       of the new definition
        7 deadline  8 visibility  9 closed  10 closes_in  11 ma  12 mip  13 enter_name  14 only_reg
       15 vpn  16 choices
                        as in create-poll-1.lua; the poll keeps its other fields
       17 images        how many images follow
       18...            for each image `image:<file>`, then answer ids
  Reply 1 begun, 0 there is no such poll or it is not as expected: nothing is changed
]]
local call = redis.call
local names = { 'version', 'round', 'edition', 'sequence', 'closed', 'deadline', 'settled', 'admin', 'view', 'public', 'retention',
  'created', 'empty', 'visibility', 'closes_in', 'revealed' }
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

-- Quotes inside a text are escaped, so a text cannot look like a member.
local definition = string.gsub(ARGV[5], '"roundFrom":0', '"roundFrom":' .. version, 1)
local fields = {
  'definition', definition, 'edition', ARGV[6], 'round', string.format('%d', ARGV[3] + 1), 'version', version,
  'deadline', ARGV[7], 'visibility', ARGV[8], 'closed', ARGV[9], 'closes_in', ARGV[10], 'ma', ARGV[11], 'mip', ARGV[12],
  'enter_name', ARGV[13], 'only_reg', ARGV[14], 'vpn', ARGV[15], 'choices', ARGV[16],
  'verifiable', string.find(definition, '"verifiable":true', 1, true) and '1' or '',
  'change_vote', string.find(definition, '"change_vote":true', 1, true) and '1' or '',
  'admin', state.admin, 'view', state.view, 'public', state.public, 'retention', state.retention, 'created', state.created,
  -- A poll with votes in an earlier round is not without a ballot.
  'empty', state.sequence == '0' and state.empty or '',
  'settled', '', 'voters', '0', 'sequence', '0', 'hinted', '0',
}
local ids = 18 + ARGV[17]
for at = 18, #ARGV do
  local name, value = ARGV[at], at < ids and call('HGET', KEYS[1], ARGV[at]) or '0'
  fields[#fields + 1], fields[#fields + 2] = at < ids and name or 'votes:' .. name, value
end
call('HSET', KEYS[1], 'version', version, 'closed', closed, 'settled', over and state.deadline or state.settled)
call('RENAME', KEYS[1], KEYS[2])
call('HSET', KEYS[1], unpack(fields))
redis.set_repl(redis.REPL_NONE)
redis.pcall(ARGV[1], ARGV[2], '')
return 1
