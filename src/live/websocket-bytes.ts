/** RFC 6455, section 5.2: one unmasked, unfragmented text frame, as a server sends it. */
export function websocketText(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafeSlow(head + length);
  frame[0] = 0x81;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}

export const OPCODE_CLOSE = 0x8;
export const OPCODE_PING = 0x9;
export const OPCODE_PONG = 0xa;

/** RFC 6455, section 5.5. @param payload at most 125 bytes */
export function websocketControl(opcode: number, payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, payload.length]), payload]);
}

export function websocketClose(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return websocketControl(OPCODE_CLOSE, payload);
}

/** What a frame of `websocketText` says, as a window into it. */
export function websocketPayload(frame: Buffer): Buffer {
  const short = frame[1] as number;
  return frame.subarray(short < 126 ? 2 : short === 126 ? 4 : 10);
}
