import { Redis } from 'ioredis';

// A machine that runs too much at once answers commands later than a relay waits for them. What a
// late answer does is a fault's test.
const COMMAND_MS = 60_000;

const { sendCommand } = Redis.prototype;
if (sendCommand.name !== 'sendPatiently')
  Redis.prototype.sendCommand = function sendPatiently(...args) {
    if (this.options.commandTimeout !== undefined) this.options.commandTimeout = COMMAND_MS;
    return sendCommand.apply(this, args);
  };
