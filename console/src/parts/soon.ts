/** Runs something a while after it is asked for, and once more if it is asked for again meanwhile. Asking often does not put it off. */
export function createSoon(run: () => unknown, afterMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAskedAgain = false
  const begin = () => {
    isAskedAgain = false
    timer = setTimeout(async () => {
      try {
        await run()
      } finally {
        timer = undefined
        if (isAskedAgain) begin()
      }
    }, afterMs)
  }
  return {
    ask() {
      if (timer === undefined) begin()
      else isAskedAgain = true
    },
    stop() {
      isAskedAgain = false
      clearTimeout(timer)
    },
  }
}
