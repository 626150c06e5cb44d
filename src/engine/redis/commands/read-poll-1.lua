--[[
  Reads one moment of a poll. Stores a passed deadline once, which raises the version and publishes
  a hint. If Redis rejects writes (no memory, no disk, too few replicas) the reply is the same, but
  nothing is stored. Without `#!lua`, because Redis would then reject the whole script.

  KEYS  1 poll
  ARGV  1 publish       PUBLISH, or SPUBLISH in a cluster
        2 channel       of the poll
        3 counters      `votes:<answer id>` for each answer of the poll, separated by spaces
        4 edition       of the definition that has these answers; empty before the first correction
  Reply nil if there is no such poll or it has another edition, otherwise one text with a
        line for each of
          now (UNIX time in milliseconds), version, deadline, settled, closed, voters, visibility,
          view, hinted, closes_in, admin, voided, edition, revealed, chat:twitch, chat:youtube,
          chat:kick, withdrawn
        and each counter. One text without names, because twenty replies cost a client five times as
        much.
]]
local fields = { 'version', 'deadline', 'settled', 'closed', 'voters', 'visibility', 'view', 'hinted', 'closes_in', 'admin',
  'voided', 'edition', 'revealed', 'chat:twitch', 'chat:youtube', 'chat:kick',
  'withdrawn' }
local STATE = #fields
for counter in string.gmatch(ARGV[3], '%S+') do fields[#fields + 1] = counter end
local state = redis.call('HMGET', KEYS[1], unpack(fields))
local version, deadline, settled = state[1], state[2], state[3]
-- Old polls lack `closes_in`, and most have no voided votes, no correction, no step of a reveal, no
-- votes from chat and no withdrawn ballots.
for at = 9, STATE do state[at] = state[at] or '' end
if not version or state[12] ~= ARGV[4] then return false end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if deadline ~= '' and deadline ~= settled and now >= tonumber(deadline) then
  state[1], state[3] = string.format('%d', version + 1), deadline
  local stored = redis.pcall('HSET', KEYS[1], 'version', state[1], 'settled', deadline)
  -- Without the write, a hint would make every subscriber read again, and each read publish another
  -- hint.
  if type(stored) == 'number' then
    redis.set_repl(redis.REPL_NONE)
    redis.pcall(ARGV[1], ARGV[2], '')
  end
end
return string.format('%d\n', now) .. table.concat(state, '\n')
