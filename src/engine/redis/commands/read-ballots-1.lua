--[[
  Ballots of a poll in the order of acceptance. Without `#!lua`, like read-poll-1.lua.

  KEYS  1 poll
  ARGV  1 first         number of the first block to read, from 1
        2 enough        how many bytes to read at least, if there are so many
  Reply a list of blocks, as create-poll-1.lua describes them; after the newest one, to which ballots may still be added,
        an empty text.
]]
local blocks, number, bytes = {}, tonumber(ARGV[1]), 0
local last = (tonumber(redis.call('HGET', KEYS[1], 'blocks')) or 0) + 1
while number <= last and bytes < tonumber(ARGV[2]) do
  local block = redis.call('HGET', KEYS[1], 'n:' .. string.format('%d', number)) or ''
  blocks[#blocks + 1] = block
  bytes = bytes + #block
  number = number + 1
end
if number > last then blocks[#blocks + 1] = '' end
return blocks
