import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { theme, writeTime, zone } from './time.tsx'
import type { Range } from './time-range.ts'

/** A line of a plot. Values stand for the buckets; null where nothing is known. */
export interface Line {
  name: string
  values: readonly (number | null)[]
}

interface PlotProps {
  title: string
  /** When each bucket begins. */
  timesMs: readonly number[]
  lines: readonly Line[]
  /** Each value has a dot. */
  hasDots: boolean
  write(value: number): string
  /** The value that the scale reaches at least. */
  least: number
  /** A stretch was drawn with the pointer. */
  zoom(range: Range): void
}

const HEIGHT = 220
const AXIS_WIDTH = 60
const LINE_WIDTH = 2
const DOT_SIZE = 5
const AXIS_HEIGHT = 30
/** Lines differ by their dashes too. */
const DASHES = [[], [8, 4], [2, 4], [12, 4, 2, 4]]
const CLOCK_FROM = 11

/** `13:05`, or `13:05:30` where the marks are closer than a minute. */
function clockTexts(seconds: readonly number[]): string[] {
  const length = seconds.every((second) => second % 60 === 0) ? 5 : 8
  return seconds.map((second) => writeTime(new Date(second * 1000).toISOString()).slice(CLOCK_FROM, CLOCK_FROM + length))
}

/** The colour that a part of the figure has in this scheme. */
const colourOf = (root: HTMLElement, selector: string) => getComputedStyle(root.querySelector(selector)!).color

function optionsOf(
  root: HTMLElement,
  { lines, hasDots, zoom, write, least }: PlotProps,
  pointed: (place: number | null) => void,
): uPlot.Options {
  const soft = () => colourOf(root, '.plot-soft')
  const axis = { stroke: soft, grid: { stroke: () => colourOf(root, '.plot-grid'), width: 1 }, ticks: { show: false } }
  return {
    width: root.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false } },
    axes: [
      { ...axis, size: AXIS_HEIGHT, values: (_, splits) => clockTexts(splits) },
      { ...axis, size: AXIS_WIDTH, values: (_, splits) => splits.map(write) },
    ],
    scales: { y: { range: (_, _min, max) => [0, Math.max(max, least)] } },
    series: [
      {},
      ...lines.map(({ name }, place) => ({
        label: name,
        width: LINE_WIDTH,
        dash: DASHES[place]!,
        stroke: () => colourOf(root, `.line-${place}`),
        points: { show: hasDots, size: DOT_SIZE, fill: () => colourOf(root, `.line-${place}`) },
      })),
    ],
    hooks: {
      setCursor: [({ cursor }) => pointed(cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select
          if (width === 0) return
          const [fromMs, toMs] = [left, left + width].map((at) => plot.posToVal(at, 'x') * 1000)
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          zoom({ fromMs: fromMs!, toMs: toMs! })
        },
      ],
    },
  }
}

const dataOf = ({ timesMs, lines }: PlotProps) =>
  [timesMs.map((ms) => ms / 1000), ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData

/** uPlot formats in the language of the browser when it is loaded, and throws where that is none: Chromium under `LANG=C` has `en-US@posix`. */
async function loadLibrary() {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en' })
  }
  return (await import('uplot')).default
}

/** Draws into `root` until it is left, as wide as that is. The library is loaded here, and nowhere else. */
function useDrawing(props: PlotProps, pointed: (place: number | null) => void, failed: () => void) {
  const root = useRef<HTMLDivElement>(null)
  const drawing = useRef<uPlot | undefined>(undefined)
  const current = useRef(props)
  current.current = props
  useEffect(() => {
    const place = root.current!
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => drawing.current?.redraw(false, true)
    const fit = new ResizeObserver(() => drawing.current?.setSize({ width: place.clientWidth, height: HEIGHT }))
    let isLeft = false
    const draw = (Library: typeof uPlot) => {
      if (isLeft) return
      const options = optionsOf(place.parentElement!, { ...current.current, zoom: (range) => current.current.zoom(range) }, pointed)
      drawing.current = new Library({ ...options, width: place.clientWidth }, dataOf(current.current), place)
      fit.observe(place)
      dark.addEventListener('change', redraw)
    }
    loadLibrary().then(draw).catch(failed)
    return () => {
      isLeft = true
      fit.disconnect()
      dark.removeEventListener('change', redraw)
      drawing.current?.destroy()
      drawing.current = undefined
    }
  }, [])
  useEffect(() => {
    const isDrawnOver = (drawing.current?.select.width ?? 0) > 0
    if (!isDrawnOver) drawing.current?.setData(dataOf(props))
  }, [props.timesMs, props.lines])
  useEffect(() => drawing.current?.redraw(false, true), [theme.chosen.value, zone.chosen.value])
  return root
}

/** Lines over time, with their names and the values below the pointer. A table beside it has the same for whoever does not see it. */
export function Plot(props: PlotProps) {
  const pointed = useSignal<number | null>(null)
  const hasFailed = useSignal(false)
  const root = useDrawing(
    props,
    (place) => {
      pointed.value = place
    },
    () => {
      hasFailed.value = true
    },
  )
  const { title, timesMs, lines, write } = props
  const place = pointed.value
  return (
    <div class="plot">
      {hasFailed.value && <p class="soft">The plot could not be drawn. The table has its values.</p>}
      <div ref={root} class="plot-canvas" role="img" aria-label={`${title}. The table below has the values.`} />
      <p class="plot-legend" aria-hidden="true">
        {lines.map(({ name, values }, line) => {
          const value = place === null ? null : values[place]
          return (
            <span key={name}>
              <svg aria-hidden="true" class={`line-${line}`} viewBox="0 0 30 4" width="30" height="4">
                <line x1="0" y1="2" x2="30" y2="2" stroke="currentColor" stroke-width="3" stroke-dasharray={DASHES[line]!.join(' ')} />
              </svg>{' '}
              {name}
              {value !== null && value !== undefined && `: ${write(value)}`}
            </span>
          )
        })}
        <span class="plot-soft">{place !== null && timesMs[place] !== undefined && clockTexts([timesMs[place]!])}</span>
      </p>
      <span class="plot-grid" />
    </div>
  )
}
