#!lua flags=allow-oom
--[[
  Remembers that a poll or a show is about to change, so that some process tells its events even if
  this one dies. Allowed when Redis is out of memory: the creator must be able to close a poll then.

  KEYS  1 due           sorted set of subjects by the UNIX time in milliseconds at which to look at
                        them
  ARGV  1 subject       a poll's id, or `show:<name>`
        2 wait          milliseconds until the change has ended in any case
  Reply 1
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], string.format('%d', now + ARGV[2]), ARGV[1])
return 1
