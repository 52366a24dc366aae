const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']
const STEP = 1024

/** `1.4 MB`. */
export function writeBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log(bytes || 1) / Math.log(STEP))))
  const value = bytes / STEP ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}

/** `1,204,000`. */
export const writeCount = (count: number) => count.toLocaleString('en')

/** A backlog is counted up to this. */
const MOST_COUNTED = 1000

export const writeBacklog = (count: number) => writeCount(count) + (count < MOST_COUNTED ? '' : ' or more')

/** `1 delivery`, `2 deliveries`. */
export const counted = (count: number, one: string, many: string) => `${writeCount(count)} ${count === 1 ? one : many}`
