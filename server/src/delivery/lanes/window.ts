import type { Clock, Timer } from '../../lib/clock.ts'

/** Work in the window. */
export interface Mark {
  sinceMs: number
}

export interface WindowOptions {
  clock: Clock
  /** How much may be in flight, without slow work. */
  size: number
  /** Work that has been running for this long is slow and no longer counts. */
  slowMs: number
  /** Called when there is room again because work has become slow. */
  onRoom(): void
}

/** Counts the work in flight over all lanes. */
export interface Window {
  begin(): Mark
  end(mark: Mark): void
  hasRoom(): boolean
  close(): void
}

/** Limits the work in flight. Slow work does not count, so that callbacks that hang do not delay other deliveries. */
export function createWindow({ clock, size, slowMs, onRoom }: WindowOptions): Window {
  /** The counted work, oldest first. */
  const counted = new Set<Mark>()
  let timer: Timer | undefined

  const checkLater = (afterMs: number) => {
    timer ??= clock.after(Math.ceil(afterMs), () => {
      timer = undefined
      onRoom()
    })
  }

  /** Drops slow work. If the window is still full, checks again when the oldest becomes slow. */
  const dropSlow = () => {
    for (const mark of counted) {
      const leftMs = mark.sinceMs + slowMs - clock.monotonic()
      if (leftMs <= 0) counted.delete(mark)
      else {
        if (counted.size >= size) checkLater(leftMs)
        return
      }
    }
  }

  return {
    begin() {
      const mark = { sinceMs: clock.monotonic() }
      counted.add(mark)
      return mark
    },
    end: (mark) => void counted.delete(mark),
    hasRoom() {
      if (counted.size >= size) dropSlow()
      return counted.size < size
    },
    close: () => timer?.cancel(),
  }
}
