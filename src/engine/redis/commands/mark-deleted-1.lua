#!lua flags=allow-oom
--[[
  Stores that a poll or a show is about to be deleted, so that its subscribers can tell that from lost data. Allowed when Redis is
  out of memory: the set is bounded, and the deletion frees more.

  KEYS  1 deleted       sorted set of subjects by the UNIX time in milliseconds of their deletion
  ARGV  1 subject       a poll's id, or `show:<name>`
        2 kept          milliseconds for which deletions are kept
        3 most          number of deletions that are kept
  Reply 1
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], string.format('%d', now), ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -ARGV[3] - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
