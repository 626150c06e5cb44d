--[[
  Ballots of a poll in the order of acceptance. Without `#!lua`, like read-poll-1.lua.

  KEYS  1 poll
  ARGV  1 first         ordinal of the first ballot to read, from 1
        2 enough        how many ballots to read at least, if there are so many
  Reply a list of texts, each of one or more ballots: JSON on a line of its own. Empty where there are no more.
]]
local texts, ordinal, last = {}, tonumber(ARGV[1]), ARGV[1] + ARGV[2]
while ordinal < last do
  local text = redis.call('HGET', KEYS[1], 'n:' .. string.format('%d', ordinal))
  if not text then break end
  texts[#texts + 1] = text
  local _, breaks = string.gsub(text, '\n', '')
  ordinal = ordinal + breaks + 1
end
return texts
