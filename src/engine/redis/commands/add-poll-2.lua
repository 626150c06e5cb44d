#!lua
--[[
  Moves a poll, built under another key with the fields of create-poll-1.lua, to its own key, unless
  there is a poll: so that no reader sees half of it.

  KEYS  1 poll
        2 built         the key under which it was built
  ARGV  1 expires       UNIX time in milliseconds at which Redis removes it, 0 for never
  Reply 1 added; 0 there is a poll with that id, and the built one is removed
]]
if redis.call('EXISTS', KEYS[1]) > 0 then
  redis.call('UNLINK', KEYS[2])
  return 0
end
if ARGV[1] == '0' then redis.call('PERSIST', KEYS[2]) else redis.call('PEXPIREAT', KEYS[2], ARGV[1]) end
redis.call('RENAME', KEYS[2], KEYS[1])
return 1
