import type { Clock, Timer } from '../../lib/clock.ts'

/** Work that counts in the window: when it began. */
export interface Mark {
  sinceMs: number
}

export interface WindowOptions {
  clock: Clock
  /** How much may be in flight, not counting what is slow. */
  size: number
  /** What has been under way for so long counts no more. */
  slowMs: number
  /** Called when there is room again because something has become slow. */
  roomAgain(): void
}

/** How much is in flight over all lanes. */
export interface Window {
  begin(): Mark
  end(mark: Mark): void
  hasRoom(): boolean
  close(): void
}

/** Bounds what is in flight. What is slow takes no place, so that callbacks that hang keep nobody else's deliveries waiting. */
export function createWindow({ clock, size, slowMs, roomAgain }: WindowOptions): Window {
  /** What counts, oldest first. */
  const counted = new Set<Mark>()
  let timer: Timer | undefined

  const lookAgain = (afterMs: number) => {
    timer ??= clock.after(Math.ceil(afterMs), () => {
      timer = undefined
      roomAgain()
    })
  }

  /** Lets go of what has become slow; when it is still full, looks again when the oldest will have. */
  const dropSlow = () => {
    for (const mark of counted) {
      const leftMs = mark.sinceMs + slowMs - clock.monotonic()
      if (leftMs <= 0) counted.delete(mark)
      else {
        if (counted.size >= size) lookAgain(leftMs)
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
