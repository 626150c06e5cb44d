#!lua flags=allow-oom
--[[
  Adds the events of a poll or a show to the log, stores the state that they tell and publishes a
  hint. Of many processes that saw the same change, one adds them. Allowed when Redis is out of
  memory: the log is bounded.

  KEYS  1 log           stream: `text` and `at`, UNIX time in milliseconds; ids 1-0, 2-0, ...
        2 states        hash: the told state of each subject
        3 due           sorted set of subjects by the UNIX time in milliseconds at which to look at
                        them: `<subject>` for marks, `<subject>@` for the time at which the state
                        changes by itself
        4 polls         sorted set without scores: the list of polls
  ARGV  1 publish       PUBLISH, or SPUBLISH in a cluster
        2 channel       of events
        3 subject       a poll's id, or `show:<name>`
        4 known         the state that must be stored, empty for none
        5 state         the new one; empty removes it
        6 due           UNIX time in milliseconds at which the state changes by itself, or empty
        7 listed        member of polls, added with a state and removed without; or empty
        8 kept          milliseconds for which events are kept
        9 most          number of events that are kept
       10...            events
  Reply 1 told, 0 another state is stored: nothing is changed
]]
local call, format = redis.call, string.format
local log, states, due, polls = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local subject, known, state, dueAt, listed = ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
if (call('HGET', states, subject) or '') ~= known then return 0 end

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if state == '' then call('HDEL', states, subject) elseif state ~= known then call('HSET', states, subject, state) end
if listed ~= '' then
  if state == '' then call('ZREM', polls, listed) else call('ZADD', polls, 0, listed) end
end
-- A later mark belongs to a change that may be under way.
local mark = call('ZSCORE', due, subject)
if mark and tonumber(mark) <= now then call('ZREM', due, subject) end
if dueAt == '' then call('ZREM', due, subject .. '@') else call('ZADD', due, dueAt, subject .. '@') end
if #ARGV < 10 then return 1 end

local newest = call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
local position = newest and tonumber(string.match(newest[1], '^%d+')) or 0
for at = 10, #ARGV do
  position = position + 1
  call('XADD', log, 'MAXLEN', '~', ARGV[9], format('%d-0', position), 'text', ARGV[at], 'at', format('%d', now))
end
for _, entry in ipairs(call('XRANGE', log, '-', '+', 'COUNT', 20)) do
  local isOld = tonumber(entry[2][4]) < now - ARGV[8]
  if not isOld then break end
  call('XDEL', log, entry[1])
end
redis.set_repl(redis.REPL_NONE)
redis.pcall(ARGV[1], ARGV[2], '')
return 1
