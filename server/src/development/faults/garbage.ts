/** The beginning of JSON, and then bytes that are neither JSON nor UTF-8. */
export const GARBAGE = Buffer.from([...Buffer.from('{"data":{"id":"19'), 0xff, 0xfe, 0x00, 0xc3])
