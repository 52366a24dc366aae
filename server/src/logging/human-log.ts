const LEVELS: Record<number, string> = { 10: 'trace', 20: 'debug', 30: '', 40: 'warn', 50: 'error', 60: 'fatal' }

const show = ([name, value]: [string, unknown]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`

/** Formats log lines for a terminal: time, message and members. */
export const humanLog = (write: (text: string) => void) => ({
  write(line: string) {
    const { level, time, msg, ...members } = JSON.parse(line) as { level: number; time: string; msg: string }
    const what = [time.slice(11, 19), LEVELS[level], msg].filter(Boolean).join(' ')
    const about = Object.entries(members).filter(([, value]) => value !== null)
    write(`${[what, ...about.map(show)].join('  ')}\n`)
  },
})
