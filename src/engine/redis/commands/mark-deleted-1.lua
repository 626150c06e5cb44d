#!lua flags=allow-oom
--[[
  Stores that a poll or a show is about to be deleted, so that its subscribers can tell that from
  lost data. Allowed when Redis is out of memory, because the deletion frees more.

  KEYS  1 deleted       P{<poll id>}:deleted, or P{show:<name>}:deleted
  ARGV  1 kept          milliseconds for which the deletion is kept
  Reply 1
]]
redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
return 1
