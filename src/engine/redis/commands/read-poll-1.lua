--[[
  One moment of a poll. Notes a deadline that has passed, once: the version grows and watchers are told. Where Redis refuses
  writes (no memory, no disk, too few replicas) it replies as it will be noted: closed, with the version that the note will
  give. Without `#!lua`, because such a Redis refuses a script with it at once.

  KEYS  1 poll
  ARGV  1 publish       PUBLISH, or SPUBLISH in cluster mode
        2 channel       of the poll
        3 counters      `votes:<answer id>` for each answer of the poll, with spaces between
  Reply nil where there is no such poll, otherwise one text, each on a line of its own:
          now (UNIX time in milliseconds), version, deadline, settled, closed, voters, visibility, view, hinted, closes_in, admin
        and each of the counters. In one text and without names, because twenty replies cost a client five times as much.
]]
local fields = { 'version', 'deadline', 'settled', 'closed', 'voters', 'visibility', 'view', 'hinted', 'closes_in', 'admin' }
for counter in string.gmatch(ARGV[3], '%S+') do fields[#fields + 1] = counter end
local state = redis.call('HMGET', KEYS[1], unpack(fields))
local version, deadline, settled = state[1], state[2], state[3]
if not version then return false end
state[10] = state[10] or ''

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if deadline ~= '' and deadline ~= settled and now >= tonumber(deadline) then
  state[1], state[3] = string.format('%d', version + 1), deadline
  local noted = redis.pcall('HSET', KEYS[1], 'version', state[1], 'settled', deadline)
  -- A hint at what was not noted would have every watcher read again, and each read hint again.
  if type(noted) == 'number' then
    redis.set_repl(redis.REPL_NONE)
    redis.call(ARGV[1], ARGV[2], '')
  end
end
return string.format('%d\n', now) .. table.concat(state, '\n')
