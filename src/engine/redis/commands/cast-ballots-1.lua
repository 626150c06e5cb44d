#!lua
--[[
  Casts ballots of one poll, one or many: checks, counts, remembers the voters, raises the version and tells watchers, in
  one step that happens wholly or not at all. This is the one way in, for a voting front end in any language:

    EVALSHA <sha1> 1 <KEYS...> <ARGV...>          (SCRIPT LOAD this file first; on NOSCRIPT, EVAL it)

  SAFE TO REPEAT. After any error (timeout, lost connection, failover) call again with the same ballot ids: the answer
  is a version if the first call never arrived, and `repeated` if it did. Never retry under a new ballot id.

  ONE OR MANY. Ballots are judged in turn, each as if it were alone. A call costs several times what one more ballot in it
  does, so whoever has several ballots of a poll at hand casts them together.

  ONE WRITE. All that a call changes it writes by one HSET. Two writes would stand in the log of Redis between MULTI and
  EXEC, and a log that is torn between them, by a lost machine, brings half of them back at the second start after it.
  So a poll is one hash, and the day on which it goes is moved by keep-poll-1.lua, once an hour where there is no deadline.

  HINTS. At most one in 25 ms. Whoever hears one reads the poll, and once more later than that, because what was cast
  meanwhile is not hinted at; whoever has just subscribed does the same.

  KEYS  1 poll          hash P{id}:poll-2, where P is REDIS_PREFIX and {id} the poll id in braces; see create-poll-1.lua
  ARGV  1 publish       PUBLISH, or SPUBLISH where Redis runs in cluster mode
        2 channel       P{id}:hints; watchers hear an empty message and read the poll again
        3 wait          1 where WAIT follows on this connection: a repeated ballot then writes too, because WAIT covers
                        what this connection wrote, and the first acceptance may have come over another one. Otherwise 0
        4 fields        of each of 1 to 100 ballots, in turn and with nothing between: `B`, its key, `V`, its voter's key
        5 addresses     of each the key of its address
        6 proofs        of each the key of its solved human check, which is good for one ballot; 12 zero bytes for none
                        A key is the first 12 bytes of SHA-256: of the ballot id, of an opaque name of the voter, of a keyed
                        hash of the address (never of an address alone), of the id of the check
        7 texts         of each these three, and before each of them how many bytes it has, in two bytes, the greater first:
            ballot id     the same for each retry: a byte of 0 and any text in UTF-8, or a byte of 1 and a UUID's 16 bytes
            answers       ids with commas between: one, or several where the poll has `ma`, none twice
            name          in UTF-8, kept only where the poll asks for one; empty for none

  Reply  of each ballot in turn the version after it, a number, where it was accepted, counted once. Otherwise a text, by the
         first check that fails:
        poll_not_found      no such poll
        repeated <version>  this ballot id was accepted before, and the poll had this version then; nothing counted now
        poll_closed         closed by hand, or the deadline has passed by Redis' clock
        poll_not_open       upcoming: its creator has not opened it
        invalid_answers     none, unknown, twice, or several without `ma`
        name_required       the poll has `enter_name` and the name is blank
        duplicate_voter     this voter has voted
        duplicate_address   this address has voted, and the poll lacks `mip`
        proof_used          the human check was used for another ballot
]]
local MAX_BALLOTS, MAX_ANSWERS = 100, 100
local ID, ID_BYTES = 'c12', 12
local NO_PROOF = string.rep('\0', ID_BYTES)
-- A bucket holds so many ids on average. More of them take less memory and more time.
local BUCKET_IDS = 12
-- What a block of kept ballots has at least before the next one is begun.
local BLOCK_BYTES = 512
local HINT_MS = 25

local call, byte, find, format, rep, sub = redis.call, string.byte, string.find, string.format, string.rep, string.sub
local pack, unpackBytes, concat, floor = struct.pack, struct.unpack, table.concat, math.floor
local poll, texts, size = KEYS[1], ARGV[7], nil

-- One call for all ballots, because calls are what takes time.
local function column(layout, bytes)
  local values = { unpackBytes(rep(layout, size), bytes) }
  assert(table.remove(values) == #bytes + 1)
  return values
end
-- Errs where anything is not as documented.
local function readBallots()
  size = #ARGV[5] / ID_BYTES
  assert(size >= 1 and size <= MAX_BALLOTS and #ARGV[6] == #ARGV[5])
  assert(find(ARGV[4], '^' .. rep('B............V............', size) .. '$'))
  local said = column('>Hc0Hc0Hc0', texts)
  for index = 1, size do assert(said[3 * index - 2] ~= '') end
  local proofs = ARGV[6] ~= rep(NO_PROOF, size) and column(ID, ARGV[6])
  return column('c13c13', ARGV[4]), column(ID, ARGV[5]), proofs, said
end
local sound, fields, addresses, proofs, said = pcall(readBallots)
if not sound then return redis.error_reply('ERR cast-ballots: the arguments are not as documented') end
-- Most often the first ballot's answer is the only one there is, so that it needs no call of its own.
local likely = said[2]
local state = call('HMGET', poll, 'version', 'voters', 'closed', 'deadline', 'settled', 'ma', 'mip', 'enter_name', 'blocks',
  'hinted', 'votes:' .. likely, 'proofs')
local version, voters, closed, deadline = tonumber(state[1]), tonumber(state[2]), state[3], state[4]
local ma, mip, enterName = state[6] == '1', state[7] == '1', state[8] == '1'
local votes, replies = { [likely] = tonumber(state[11]) or false }, {}
-- Most polls have never seen a proof: their buckets need not even be split.
local proving = proofs or state[12] ~= '0'
for index = 1, size do replies[index] = 'poll_not_found' end
if not version then return replies end
-- Addresses and proofs lie in buckets, as many as create-poll-1.lua says. `narrow` is the greatest power of two among them.
local count, narrow = floor(voters / BUCKET_IDS) + 1, 1
while 2 * narrow <= count do narrow = 2 * narrow end
local block = #fields + 1
fields[block] = 'n:' .. format('%d', state[9] + 1)
-- Where among the fields a bucket is, which is added to them where it is not.
local function placeOf(bucket, kind, places)
  if not places[bucket] then
    places[bucket] = #fields + 1
    fields[places[bucket]] = pack('<c1I3', kind, bucket)
  end
  return places[bucket]
end
local function placesOf(kind, ids)
  if not kind then return end
  local places, wide, own, power = {}, 2 * narrow, column('<I3xxxxxxxxx', ids), narrow
  for index = 1, size do
    local bucket = own[index] % wide
    if bucket >= count then bucket = bucket - narrow end
    own[index] = places[bucket] or placeOf(bucket, kind, places)
  end
  -- And those that are split if all of the ballots are accepted.
  for target = count, floor((voters + size) / BUCKET_IDS) do
    if target == 2 * power then power = target end
    placeOf(target - power, kind, places)
  end
  return own, places
end
local proofPlaces, proofBuckets = placesOf(proving and 'P', ARGV[6])
local addressPlaces, addressBuckets = placesOf(not mip and 'A', ARGV[5])
-- What is used up: what was found, in the places of the fields, and by field what ballots of this very call have used.
local found, used = call('HMGET', poll, unpack(fields)), {}

local time = call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)
local over = deadline ~= '' and now >= tonumber(deadline)
local refusal = over and 'poll_closed' or closed == 'upcoming' and 'poll_not_open' or closed ~= '' and 'poll_closed'

-- Left to Redis, a Lua number is printed as a float, which takes three times as long.
local function text(number) return format('%d', number) end
local function isKnown(answer)
  if votes[answer] == nil then votes[answer] = tonumber(call('HGET', poll, 'votes:' .. answer)) or false end
  return votes[answer]
end
-- The answers of a ballot, false where they are invalid.
local function readAnswers(answers)
  if not find(answers, ',', 1, true) then return isKnown(answers) and { answers } end
  if not ma then return false end
  local list, taken = {}, {}
  for answer in string.gmatch(answers .. ',', '([^,]*),') do
    if #list == MAX_ANSWERS or taken[answer] or not isKnown(answer) then return false end
    list[#list + 1], taken[answer] = answer, true
  end
  return list
end
-- Most ballots are for what another one in the call is for.
local lists = {}
local function answersOf(answers)
  if lists[answers] == nil then lists[answers] = readAnswers(answers) end
  return lists[answers]
end
-- Whether an id lies in a bucket: not across two of those that lie there.
local function holds(bucket, id)
  local at = find(bucket, id, 1, true)
  while at and at % ID_BYTES ~= 1 do at = find(bucket, id, at + 1, true) end
  return at
end

local entries, length, filled = {}, 0, {}
local function set(field, value)
  entries[length + 1], entries[length + 2] = field, value
  length = length + 2
end
local accepted, nameless, counted, repeats = 0, true, {}, false
for index = 1, size do
  local key, voter, address, proof = fields[2 * index - 1], fields[2 * index], addresses[index], proofs and proofs[index]
  local earlier = found[2 * index - 1] or used[key]
  local answers, name = not earlier and not refusal and answersOf(said[3 * index - 1]), said[3 * index]
  local addressed, proved = addressPlaces and addressPlaces[index], proof and proof ~= NO_PROOF and proofPlaces[index]
  if earlier then
    repeats, replies[index] = true, 'repeated ' .. text(unpackBytes('>I5', earlier))
  elseif refusal then replies[index] = refusal
  elseif not answers then replies[index] = 'invalid_answers'
  elseif enterName and not find(name, '%S') then replies[index] = 'name_required'
  elseif found[2 * index] or used[voter] then replies[index] = 'duplicate_voter'
  elseif addressed and holds(found[addressed] or '', address) then replies[index] = 'duplicate_address'
  elseif proved and holds(found[proved] or '', proof) then replies[index] = 'proof_used'
  else
    version, voters, accepted = version + 1, voters + 1, accepted + 1
    local packed = pack('>I5', version)
    used[key], used[voter], replies[index] = packed, true, version
    set(key, packed)
    set(voter, '')
    if addressed then found[addressed], filled[addressed] = (found[addressed] or '') .. address, true end
    if proved then found[proved], filled[proved] = (found[proved] or '') .. proof, true end
    for _, answer in ipairs(answers) do votes[answer], counted[answer] = votes[answer] + 1, true end
    nameless = nameless and name == ''
  end
end

-- What is kept of the ballots: most often it is just what came.
local function keptTexts()
  if accepted == size and (enterName or nameless) then return texts end
  local kept = {}
  for index = 1, size do
    if type(replies[index]) == 'number' then
      local id, answers, name = said[3 * index - 2], said[3 * index - 1], enterName and said[3 * index] or ''
      kept[#kept + 1] = pack('>Hc0Hc0Hc0', #id, id, #answers, answers, #name, name)
    end
  end
  return concat(kept)
end

-- Where ballots make room for more buckets, each new one takes from an older one the ids that belong to it.
local function split(kind, places, target)
  local source, new = placeOf(target - narrow, kind, places), placeOf(target, kind, places)
  local bucket = found[source] or ''
  local offset, bit = 0, narrow
  while bit >= 256 do offset, bit = offset + 1, bit / 256 end
  local stay, move = {}, {}
  for at = 1, #bucket, ID_BYTES do
    local side = byte(bucket, at + offset) % (2 * bit) < bit and stay or move
    side[#side + 1] = sub(bucket, at, at + ID_BYTES - 1)
  end
  if #move == 0 then return end
  found[source], found[new] = concat(stay), concat(move)
  filled[source], filled[new] = true, true
end

if accepted > 0 then
  for target = count, floor(voters / BUCKET_IDS) do
    if target == 2 * narrow then narrow = target end
    if not mip then split('A', addressBuckets, target) end
    if proving then split('P', proofBuckets, target) end
  end
  for place in pairs(filled) do set(fields[place], found[place]) end
  local ballots = (found[block] or '') .. pack('>I6B', now, accepted) .. keptTexts()
  set(fields[block], ballots)
  if #ballots >= BLOCK_BYTES then set('blocks', text(state[9] + 1)) end
  if proofs then set('proofs', '1') end
  set('version', text(version))
  set('voters', text(voters))
  for answer in pairs(counted) do set('votes:' .. answer, text(votes[answer])) end
elseif over and state[5] ~= deadline then
  set('version', text(version + 1))
  set('settled', deadline)
else
  if repeats and ARGV[3] == '1' then call('HSET', poll, 'version', text(version)) end
  return replies
end

-- A clock that was set back must not silence the poll.
local hints = accepted == 0 or now < tonumber(state[10]) or now - state[10] >= HINT_MS
if hints then set('hinted', text(now)) end
call('HSET', poll, unpack(entries))
if hints then
  -- Replicas have no use for the hint, and with it the write would stand between MULTI and EXEC.
  redis.set_repl(redis.REPL_NONE)
  call(ARGV[1], ARGV[2], '')
end
return replies
