#!lua
--[[
  Replaces the answers of a voter's ballot, or withdraws it, in one atomic step. The arguments are
  those of cast-ballots-1.lua for one ballot, and one more. The ballot keeps its id, time, network,
  name and whether it is voided, so all that was decided of it holds. The same rules for retries:
  call again with the same ballot id.

  KEYS  1 poll
  ARGV  1 publish  2 channel  3 wait  4 ballot id  5 voter  6 address  7 proof  8 answers  9 network
        10 name  11 facts
                        as in cast-ballots-1.lua. Without answers the ballot is withdrawn. Address,
                        network and name are ignored
       12 receipt       id of the voter's ballot, for which the front end vouches. Used unless the
                        poll has `change_vote`; empty for none

  Reply  a list of one item, as of cast-ballots-1.lua: the version, or a text. The checks up to
         `invalid_answers` are the same, then
        change_not_allowed  the poll lacks `change_vote` and was not corrected after the voter's
                            last ballot, or that ballot is unknown. A ballot from chat may be
                            withdrawn in any poll, and then cast again
        too_many_changes    the voter has changed the ballot 20 times
        proof_used          the human check was used for another ballot
]]
local MAX_CHANGES, HINT_MS = 20, 25
local call, find, match, format = redis.call, string.find, string.match, string.format
local poll, id, proof, answers, facts = KEYS[1], ARGV[4], ARGV[7], ARGV[8], ARGV[11]
local names = { ballot = 'b:' .. id, voter = 'v:' .. ARGV[5] }
if #ARGV ~= 12 or id == '' or ARGV[5] == '' then
  return redis.error_reply('ERR change-ballot: the arguments are not as documented')
end

local state = call('HMGET', poll, 'version', 'voters', 'sequence', 'closed', 'deadline', 'voided', 'withdrawn', 'ma', 'only_reg',
  'vpn', 'hinted', 'verifiable', 'change_vote', 'choices', names.ballot, names.voter, 'round')
local version, voters, sequence, closed, deadline, voided, withdrawn, ma = unpack(state)
local onlyReg, vpn, hinted, verifiable, changeVote, choices, earlier, marker, round = unpack(state, 9)
local least, most = match(choices or '', '(%d+) (%d+)')
least, most = tonumber(least or 1), tonumber(most or (ma == '1' and 100 or 1))
if not version then return { 'poll_not_found' } end
if earlier then
  if ARGV[3] == '1' then call('HSET', poll, 'version', version) end
  return { 'repeated ' .. match(earlier, '^%d+ (%d+)') }
end
if (match(facts, 'round=(%d+)') or '1') ~= (round or '1') then return { 'round_over' } end
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if deadline ~= '' and now >= tonumber(deadline) then return { 'poll_closed' } end
if closed ~= '' then return { closed == 'upcoming' and 'poll_not_open' or 'poll_closed' } end
if onlyReg == '1' and not find(facts, 'signed_in', 1, true) then return { 'sign_in_required' } end
if vpn ~= '1' and find(facts, 'vpn', 1, true) then return { 'vpn_rejected' } end

-- By answer: how many votes this change adds.
local steps, taken, chosen = {}, {}, 0
for answer in string.gmatch(answers == '' and '' or answers .. ',', '([^,]*),') do
  chosen = chosen + 1
  if taken[answer] or chosen > most or not tonumber(call('HGET', poll, 'votes:' .. answer)) then
    return { 'invalid_answers' }
  end
  taken[answer], steps[answer] = true, 1
end
if chosen > 0 and chosen < least then return { 'invalid_answers' } end

-- A marker is empty in polls that allow no change, until a correction allows one.
if not marker then return { 'change_not_allowed' } end
local changes, changedAt, first = match(marker, '^(%d+) (%d+) (.+)$')
first = first or ARGV[12]
local before = call('HGET', poll, 'b:' .. first) or ''
local place, head, castAt, mark, network, logged, old, name =
  match(before, '^(%d+)( %d+ (%d+) )(!?)([^<> ]*)(%S*) (%S*) (.*)$')
if not place or string.sub(logged, 1, 1) == '<' then return { 'change_not_allowed' } end
local function editedAt()
  local wordings = cjson.decode(call('HGET', poll, 'definition')).earlier or {}
  return #wordings > 0 and wordings[#wordings].untilMs or 0
end
local lastAt = tonumber(changedAt or 0) > 0 and changedAt or castAt
-- A chat's moderators delete votes of any poll, and the user of a deleted vote may vote again.
local moderated = string.sub(network, 1, 1) == '@' and (chosen == 0 or old == '')
-- Of the same millisecond, a ballot may have come before the correction.
if changeVote ~= '1' and not moderated and tonumber(lastAt) > editedAt() then return { 'change_not_allowed' } end
if tonumber(changes or 0) >= MAX_CHANGES then return { 'too_many_changes' } end
if proof ~= '' and call('HEXISTS', poll, 'p:' .. proof) == 1 then return { 'proof_used' } end

local removed = 0
for answer in string.gmatch(old, '[^,]+') do steps[answer], removed = (steps[answer] or 0) - 1, removed + 1 end
version, sequence = format('%d', version + 1), format('%d', sequence + 1)
-- Of a verifiable poll, the first answers stay in the log, with the place of the last change.
if verifiable == '1' then logged = '>' .. sequence .. '>' .. (match(logged, '^>%d+>(.*)$') or old) end
local entries = { 'version', version, 'sequence', sequence }
local function set(field, value) entries[#entries + 1], entries[#entries + 2] = field, value end
set('b:' .. first, place .. head .. mark .. network .. logged .. ' ' .. answers .. ' ' .. name)
set(names.ballot, format('%s %s %d <%s %s ', sequence, version, now, verifiable == '1' and place or '0',
  verifiable == '1' and answers or ''))
set(names.voter, format('%d %d %s', (changes or 0) + 1, now, first))
if proof ~= '' then set('p:' .. proof, '') end
if verifiable == '1' then set('l:' .. sequence, id) end
local come, gone = removed == 0 and chosen > 0, removed > 0 and chosen == 0
if mark == '' then
  for answer, step in pairs(steps) do
    if step ~= 0 then set('votes:' .. answer, format('%d', call('HGET', poll, 'votes:' .. answer) + step)) end
  end
  if come or gone then
    local step, platform = come and 1 or -1, match(network, '^@(%l+)$')
    set('voters', format('%d', voters + step))
    if platform then set('chat:' .. platform, format('%d', (call('HGET', poll, 'chat:' .. platform) or 0) + step)) end
  end
elseif chosen ~= removed then
  set('voided', format('%d', voided + chosen - removed))
end
if come or gone then set('withdrawn', format('%d', (withdrawn or 0) + (gone and 1 or -1))) end
local hints = now < tonumber(hinted) or now - hinted >= HINT_MS
if hints then set('hinted', format('%d', now)) end
call('HSET', poll, unpack(entries))
if hints then
  redis.set_repl(redis.REPL_NONE)
  redis.pcall(ARGV[1], ARGV[2], '')
end
return { tonumber(version) }
