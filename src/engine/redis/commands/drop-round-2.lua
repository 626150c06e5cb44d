#!lua
--[[
  Takes the beginning of the present round back, while it has no ballot: the round before gets the
  key of the poll again. Raises the version and publishes a hint. Call keep-poll-1.lua after it.

  KEYS  1 poll
        2 earlier       the key of the round before: that of the poll, `~` and its number
  ARGV  1 publish       PUBLISH, or SPUBLISH in a cluster
        2 channel       of the poll
        3 round         the number of the round before
        4 status        that it had before it ended: `open`, `upcoming` or `closed`
  Reply 1 dropped, 0 there is no such poll, it has another round, or a ballot was accepted: nothing
        is changed
]]
local call = redis.call
local names = { 'version', 'admin', 'view', 'public', 'retention' }
local kept = call('HMGET', KEYS[1], unpack(names))
local round, sequence = unpack(call('HMGET', KEYS[1], 'round', 'sequence'))
if not kept[1] or round ~= string.format('%d', ARGV[3] + 1) or sequence ~= '0' then return 0 end
if call('EXISTS', KEYS[2]) == 0 then return 0 end

kept[1] = string.format('%d', kept[1] + 1)
for at, name in ipairs(names) do
  if kept[at] then call('HSET', KEYS[2], name, kept[at]) end
end
if ARGV[4] ~= 'closed' then call('HSET', KEYS[2], 'closed', ARGV[4] == 'upcoming' and ARGV[4] or '') end
call('RENAME', KEYS[2], KEYS[1])
redis.set_repl(redis.REPL_NONE)
redis.pcall(ARGV[1], ARGV[2], '')
return 1
