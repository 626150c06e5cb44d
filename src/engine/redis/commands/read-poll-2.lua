--[[
  One moment of a poll. Notes a deadline that has passed, once: the version grows and watchers are told.
  Without `#!lua`, so that a Redis that is out of memory or cannot write its disk still answers reads.

  KEYS  1 tally
        2 definition
  ARGV  1 publish       PUBLISH, or SPUBLISH in cluster mode
        2 channel       of the poll
        3 definition    1 to send the definition along, 0 where the caller knows it: it never changes
  Reply nil where there is no such poll, otherwise
        { now (UNIX time in milliseconds), tally, { poll, admin } or an empty list }
        The tally is one text, field and value in turn, each on a line: thirty replies in one cost a client less than half.
]]
local tally = redis.call('HGETALL', KEYS[1])
if #tally == 0 then return false end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local at = {}
for index = 1, #tally, 2 do at[tally[index]] = index + 1 end
local deadline = tally[at.deadline]
if deadline ~= '' and deadline ~= tally[at.settled] and now >= tonumber(deadline) then
  tally[at.version] = string.format('%d', tally[at.version] + 1)
  tally[at.settled] = deadline
  redis.call('HSET', KEYS[1], 'version', tally[at.version], 'settled', deadline)
  redis.call(ARGV[1], ARGV[2], '')
end

if ARGV[3] == '1' then return { now, table.concat(tally, '\n'), redis.call('HMGET', KEYS[2], 'poll', 'admin') } end
return { now, table.concat(tally, '\n'), {} }
