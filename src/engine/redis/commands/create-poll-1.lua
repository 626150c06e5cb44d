#!lua
--[[
  Creates a poll unless its id is taken, in one step: two creators can never both own an id.

  KEYS  1 poll          hash: everything of a poll except its comments, see below
  ARGV  1...            names and values of the fields, see below
  Reply 1 created, 0 the id is taken

  The hash has these fields:
    definition         JSON
    admin, view        SHA-256 of the admin key and of the view key, hex
    public             1 if the poll may be listed, otherwise 0
    deadline           UNIX time in milliseconds, or empty
    visibility         always | after_deadline | after_vote | hidden
    ma, mip, enter_name    1 or 0
    retention          milliseconds to keep the poll after its end, 0 for ever
    created            UNIX time in milliseconds; absent in old polls
    empty              milliseconds to keep the poll without a ballot; empty or absent for none
    verifiable         1 if its ballots can be read by their sequence; empty or absent otherwise
    only_reg, vpn      1 or 0; absent in old polls, whose definition has them
    choices            how many answers a ballot has at least and at most, with one space between;
                       empty for the defaults, absent in old polls
    change_vote        1 if the definition has it; empty or absent otherwise
    edition            of the definition: a text that each correction and each round changes; absent
                       before the first
    round              number of the round, from 2 on: see begin-round-2.lua; absent in the first.
                       Each earlier round has a hash of its own
    closes_in          milliseconds after the opening of an upcoming poll, in place of a deadline;
                       otherwise empty, absent in old polls
    version            a whole number; old polls also have an `epoch`, which is ignored
    closed             UNIX time in milliseconds of the creator's close, `upcoming` until the first
                       opening, otherwise empty
    settled            the deadline whose passing is stored, otherwise empty
    revealed           the best place that a closed poll with hidden results shows; empty or absent
                       for none
    votes:<answer id>  one counter for each of at most 100 answers, whose ids consist of A-Z a-z 0-9 - _;
                       empty or absent for an answer that a correction removed
    image:<file>       the bytes of an image of the answers, in base64
    voters             number of ballots that count
    chat:<platform>    number of them that came from the chat of twitch, youtube or kick; absent for
                       none
    voided             number of votes of voided ballots; absent without a void-ballots-1.lua
    withdrawn          number of withdrawn ballots; absent without a change-ballot-1.lua
    void_rules         a text, as given to void-ballots-1.lua
    hinted             UNIX time in milliseconds of the last hint for a ballot
    sequence           sequence number of the last ballot or change, 0 without one
    b:<ballot id>      a ballot: its sequence number, the version after it, its UNIX time in
                       milliseconds, network, answers separated by commas, and name, with one space
                       between each; network and name may be empty. A ballot from chat has `@` and
                       its platform as network. `!` before the network marks a voided ballot, which
                       does not count. No answers: the voter has withdrawn it. Verifiable polls:
                       `>`, the sequence number of the last change, `>` and the first answers after
                       the network of a ballot that its voter has changed. Or a change of a ballot:
                       the same with `<` and the sequence number of that ballot in place of the
                       network (0 unless the poll is verifiable, and then no answers), and no name
    l:<sequence>       verifiable polls only: the ballot id with that sequence number
    log:  log:<name>   verifiable polls only: the state of the log, and parts of it, as given to
                       replace-log-1.lua
    v:<voter>  a:<address>  p:<proof>
                       empty: used keys, as in cast-ballots-1.lua; addresses only if the poll lacks
                       `mip`.
                       With `change_vote`, and after a change, a voter has the number of changes,
                       the UNIX time in milliseconds of the last one or 0, and the ballot id, with
                       one space between each
  It is one hash so that each step is one write, which Redis keeps or loses as a whole: see
  cast-ballots-1.lua.
]]
if redis.call('EXISTS', KEYS[1]) > 0 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
