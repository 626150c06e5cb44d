#!lua
--[[
  Puts a poll in its place that was built under another name, field by field as create-poll-1.lua describes them, unless there is
  one: so that nobody sees half of it.

  KEYS  1 poll
        2 built         the name under which it was built
  ARGV  1 goes          UNIX time in milliseconds at which Redis lets it go, 0 for never
  Reply 1 added, 0 there is a poll of that id; what was built is gone then
]]
if redis.call('EXISTS', KEYS[1]) > 0 then
  redis.call('UNLINK', KEYS[2])
  return 0
end
if ARGV[1] == '0' then redis.call('PERSIST', KEYS[2]) else redis.call('PEXPIREAT', KEYS[2], ARGV[1]) end
redis.call('RENAME', KEYS[2], KEYS[1])
return 1
