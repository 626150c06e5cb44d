#!lua
--[[
  Casts ballots of one poll, one or many: checks, counts, remembers the voters, raises the version and tells watchers, in
  one step that happens wholly or not at all. This is the one way in, for a voting front end in any language:

    EVALSHA <sha1> 1 <KEYS...> <ARGV...>          (SCRIPT LOAD this file first; on NOSCRIPT, EVAL it)

  SAFE TO REPEAT. After any error (timeout, lost connection, failover) call again with the same ballot ids: the answer
  is `accepted` if the first call never arrived, and `repeated` if it did. Never retry under a new ballot id.

  ONE OR MANY. Ballots are judged in turn, each as if it were alone. A call costs three times what one more ballot in it
  does, so whoever has several ballots of a poll at hand casts them together.

  ONE WRITE. All that a call changes it writes by one HSET. Two writes would stand in the log of Redis between MULTI and
  EXEC, and a log that is torn between them, by a lost machine, brings half of them back at the second start after it.
  So a poll is one hash, and nothing here moves the day on which it goes: keep-poll-1.lua does, to be called for a poll
  without a deadline once an hour while ballots come.

  HINTS. At most one in 25 ms, so that watchers cost nothing for each ballot. Whoever hears one reads the poll, and once
  more later than that, because what was cast meanwhile is not hinted at; whoever has just subscribed does the same.

  KEYS  1 poll          hash P{id}:poll-2, where P is REDIS_PREFIX, by default `tallycast:`, and {id} the poll id in braces;
                        create-poll-1.lua lists its fields
  ARGV  1 publish       PUBLISH, or SPUBLISH where Redis runs in cluster mode
        2 channel       P{id}:hints; watchers hear an empty message and read the poll again
        3 wait          1 where WAIT follows on this connection: a repeated ballot then writes too, because WAIT covers
                        what this connection wrote, and the first acceptance may have come over another one. Otherwise 0
        4 ballots       1 to 100 of them, one after the other, each of which is, in bytes and without anything between:
            ballot key    12 bytes: the first ones of SHA-256 of the ballot id
            voter         12 bytes: the same of an opaque key of the voter
            address       12 bytes: the same of an opaque keyed hash of the address; never of an address alone
            proof         12 bytes: the same of the id of a solved human check, good for one ballot; all zero for none
            ballot id     chosen on the voter's side, the same for each retry: a zero byte and any text in UTF-8, or a byte
                          of 1 and the 16 bytes of a UUID
            answers       ids with commas between: one, or several where the poll has `ma`, none twice
            name          in UTF-8, kept only where the poll asks for one; empty for none
                          Before each of these three stands how many bytes it has: two bytes, the greater one first.

  Reply { outcome, version } of the first ballot, then of the next and so on, in one list. The first check that fails
  decides:
        poll_not_found      no such poll                                                  version 0
        repeated            this ballot id was accepted before; nothing counted now       version it got then
        poll_closed         closed by hand, or the deadline has passed by Redis' clock    version 0
        poll_not_open       upcoming: its creator has not opened it yet                   version 0
        invalid_answers     none, unknown, twice, or several without `ma`                 version 0
        name_required       the poll has `enter_name` and the name is blank               version 0
        duplicate_voter     this voter key has voted                                      version 0
        duplicate_address   this address key has voted, and the poll lacks `mip`          version 0
        proof_used          the human check was used for another ballot                   version 0
        accepted            counted, exactly once                                         version after it
]]
local MAX_BALLOTS = 100
local MAX_ANSWERS = 100
local BALLOT = '>c12c12c12c12Hc0Hc0Hc0'
local ID_BYTES = 12
local NO_PROOF = string.rep('\0', ID_BYTES)
-- A bucket holds so many ids on average. More of them take less memory and more time.
local BUCKET_IDS = 12
-- What a block of kept ballots has at least before the next one is begun.
local BLOCK_BYTES = 512
local HINT_MS = 25

local call, byte, char, find, format, sub = redis.call, string.byte, string.char, string.find, string.format, string.sub
local pack, unpackBytes = struct.pack, struct.unpack
local poll, bytes = KEYS[1], ARGV[4]

-- Errs where anything is not as documented.
local function readBallots()
  local ballots, at = {}, 1
  while at <= #bytes do
    local key, voter, address, proof, id, answers, name, nextAt = unpackBytes(BALLOT, bytes, at)
    if id == '' then error() end
    ballots[#ballots + 1] = {
      'B' .. key, 'V' .. voter, address, proof ~= NO_PROOF and proof, answers, name, id, at + 4 * ID_BYTES, nextAt - 1,
    }
    at = nextAt
  end
  if #ballots == 0 or #ballots > MAX_BALLOTS then error() end
  return ballots
end
local sound, ballots = pcall(readBallots)
if not sound then return redis.error_reply('ERR cast-ballots: the arguments are not as documented') end

-- Most often the first ballot's answer is the only one there is, so that it needs no call of its own.
local likely = ballots[1][5]
local state = call('HMGET', poll, 'version', 'voters', 'closed', 'deadline', 'settled', 'ma', 'mip', 'enter_name', 'blocks',
  'hinted', 'votes:' .. likely)
local version, voters, closed, deadline = tonumber(state[1]), tonumber(state[2]), state[3], state[4]
local ma, mip, enterName = state[6] == '1', state[7] == '1', state[8] == '1'
local votes = { [likely] = tonumber(state[11]) or false }
local replies = {}
if not version then
  for index = 1, #ballots do replies[2 * index - 1], replies[2 * index] = 'poll_not_found', 0 end
  return replies
end

-- Addresses and proofs lie in buckets, as many as create-poll-1.lua says. `narrow` is the greatest power of two among them.
local count, narrow = math.floor(voters / BUCKET_IDS) + 1, 1
while 2 * narrow <= count do narrow = 2 * narrow end
local wide = 2 * narrow

local function bucketName(kind, index)
  local low = index % 256
  local rest = (index - low) / 256
  local middle = rest % 256
  return char(kind, low, middle, (rest - middle) / 256)
end

local block = 'n:' .. format('%d', state[9] + 1)
local fields, size, buckets = { block }, 1, {}
local function bucketOf(kind, id)
  local low, middle, high = byte(id, 1, 3)
  local index = (low + 256 * middle + 65536 * high) % wide
  local name = bucketName(kind, index < count and index or index - narrow)
  if not buckets[name] then
    size = size + 1
    buckets[name], fields[size] = '', name
  end
  return name
end
local ADDRESSES, PROOFS = byte('A'), byte('P')
local addressBuckets, proofBuckets = {}, {}
for index, ballot in ipairs(ballots) do
  fields[size + 1], fields[size + 2] = ballot[1], ballot[2]
  size = size + 2
  addressBuckets[index] = not mip and bucketOf(ADDRESSES, ballot[3])
  proofBuckets[index] = ballot[4] and bucketOf(PROOFS, ballot[4])
end
-- What is used up, by field: what was found, and what ballots of this very call have used.
local used = {}
for place, value in ipairs(call('HMGET', poll, unpack(fields))) do
  local field = fields[place]
  if buckets[field] then buckets[field] = value or '' else used[field] = value end
end

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local over = deadline ~= '' and now >= tonumber(deadline)

-- Left to Redis, a Lua number is printed as a float, which takes three times as long.
local function text(number) return format('%d', number) end

local function isUnknown(answer)
  if votes[answer] == nil then votes[answer] = tonumber(call('HGET', poll, 'votes:' .. answer)) or false end
  return not votes[answer]
end

-- The answers of a ballot, false where they are invalid.
local function readAnswers(answers)
  if not find(answers, ',', 1, true) then return not isUnknown(answers) and { answers } end
  if not ma then return false end
  local list, taken = {}, {}
  for answer in string.gmatch(answers .. ',', '([^,]*),') do
    if #list == MAX_ANSWERS or taken[answer] or isUnknown(answer) then return false end
    list[#list + 1], taken[answer] = answer, true
  end
  return list
end
-- Most ballots are for what another one in the call is for.
local lists = {}
local function answersOf(ballot)
  local answers = ballot[5]
  if lists[answers] == nil then lists[answers] = readAnswers(answers) end
  return lists[answers]
end

-- Whether an id lies in a bucket: not across two of those that lie there.
local function holds(bucket, id)
  local at = find(bucket, id, 1, true)
  while at and at % ID_BYTES ~= 1 do at = find(bucket, id, at + 1, true) end
  return at
end

local function findFault(ballot, answers, addresses, proofs)
  if over or closed ~= '' then return not over and closed == 'upcoming' and 'poll_not_open' or 'poll_closed' end
  if not answers then return 'invalid_answers' end
  if enterName and not find(ballot[6], '%S') then return 'name_required' end
  if used[ballot[2]] then return 'duplicate_voter' end
  if addresses and holds(buckets[addresses], ballot[3]) then return 'duplicate_address' end
  if proofs and holds(buckets[proofs], ballot[4]) then return 'proof_used' end
end

local entries, length = {}, 0
local function set(field, value)
  entries[length + 1], entries[length + 2] = field, value
  length = length + 2
end

local kept, counted, filled, repeats = {}, {}, {}, false
local function fill(name, id)
  buckets[name] = buckets[name] .. id
  filled[name] = true
end
for index, ballot in ipairs(ballots) do
  local earlier = used[ballot[1]]
  local answers = not earlier and answersOf(ballot)
  local addresses, proofs = addressBuckets[index], proofBuckets[index]
  local outcome, result = 'repeated', nil
  if earlier then
    repeats, result = true, unpackBytes('>I5', earlier)
  else
    outcome, result = findFault(ballot, answers, addresses, proofs), 0
  end
  if not outcome then
    version, voters = version + 1, voters + 1
    outcome, result = 'accepted', version
    used[ballot[1]], used[ballot[2]] = pack('>I5', version), ''
    set(ballot[1], used[ballot[1]])
    set(ballot[2], '')
    if addresses then fill(addresses, ballot[3]) end
    if proofs then fill(proofs, ballot[4]) end
    for _, answer in ipairs(answers) do
      votes[answer] = votes[answer] + 1
      counted[answer] = true
    end
    local id, name = ballot[7], ballot[6]
    kept[#kept + 1] = (enterName or name == '') and sub(bytes, ballot[8], ballot[9])
      or pack('>Hc0Hc0H', #id, id, #ballot[5], ballot[5], 0)
  end
  replies[2 * index - 1], replies[2 * index] = outcome, result
end

-- Where ballots make room for more buckets, each new one takes from an older one the ids that belong to it.
local function split(kind, target)
  local source = bucketName(kind, target - narrow)
  local bucket = buckets[source] or call('HGET', poll, source) or ''
  local offset, bit = 0, narrow
  while bit >= 256 do offset, bit = offset + 1, bit / 256 end
  local stay, move = {}, {}
  for at = 1, #bucket, ID_BYTES do
    local side = byte(bucket, at + offset) % (2 * bit) < bit and stay or move
    side[#side + 1] = sub(bucket, at, at + ID_BYTES - 1)
  end
  buckets[source] = table.concat(stay)
  if #move == 0 then return end
  local name = bucketName(kind, target)
  buckets[name] = table.concat(move)
  filled[source], filled[name] = true, true
end

if #kept > 0 then
  for target = count, math.floor(voters / BUCKET_IDS) do
    if target == 2 * narrow then narrow = target end
    if not mip then split(ADDRESSES, target) end
    split(PROOFS, target)
  end
  for name in pairs(filled) do set(name, buckets[name]) end
  local ballotsOfBlock = (used[block] or '') .. pack('>I6B', now, #kept) .. table.concat(kept)
  set(block, ballotsOfBlock)
  if #ballotsOfBlock >= BLOCK_BYTES then set('blocks', text(state[9] + 1)) end
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
local hinted = tonumber(state[10])
local hints = #kept == 0 or now < hinted or now - hinted >= HINT_MS
if hints then set('hinted', text(now)) end
call('HSET', poll, unpack(entries))
if hints then
  -- Replicas have no use for the hint, and with it the write would stand between MULTI and EXEC.
  redis.set_repl(redis.REPL_NONE)
  call(ARGV[1], ARGV[2], '')
end
return replies
