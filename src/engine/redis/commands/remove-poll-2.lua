#!lua flags=allow-oom
--[[
  Removes a poll with everything in it and its earlier rounds, and publishes hints. Allowed when
  Redis is out of memory: it frees some.

  KEYS  1 poll
        2 comments
  ARGV  1 publish       PUBLISH, or SPUBLISH in a cluster
        2 channel       of the poll
        3 channel       of the poll's comments
  Reply 1 removed, 0 there is no such poll
]]
local existed = redis.call('EXISTS', KEYS[1])
local rounds = redis.call('HGET', KEYS[1], 'round') or 1
-- UNLINK frees a million ballots in the background; DEL would block every other poll.
redis.call('UNLINK', unpack(KEYS))
for round = 1, rounds - 1 do redis.call('UNLINK', KEYS[1] .. '~' .. round) end
if existed == 0 then return 0 end
redis.set_repl(redis.REPL_NONE)
redis.pcall(ARGV[1], ARGV[2], '')
redis.pcall(ARGV[1], ARGV[3], '')
return 1
