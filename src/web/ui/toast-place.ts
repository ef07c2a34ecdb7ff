import { type RefObject, useLayoutEffect } from 'react'

/** The smallest distance in pixels between a toast and a button above it. */
const gap = 8

/** What people press. A toast should not lie over it. */
const pressed = 'a, button, input, select, textarea'

/** A vertical extent in the window, in pixels from its top. */
export interface Extent {
  top: number
  bottom: number
}

/**
 * Returns where a toast should begin so that it covers none of the extents in `taken`: `from`, or
 * else the first free place below it. If there is none above `until`, returns `from`.
 */
export function freeTop(
  height: number,
  { from, until }: { from: number; until: number },
  taken: readonly Extent[],
): number {
  let top = from
  for (const extent of [...taken].sort((a, b) => a.top - b.top)) {
    if (extent.top >= top + height) break
    if (extent.bottom > top) top = extent.bottom + gap
  }
  return top + height <= until ? top : from
}

/**
 * Places a toast whenever another one is shown, because each has its own height and the page under
 * it changes, and whenever a phone is turned.
 * @param viewport the fixed element that has the toast in it. Its style sheet says where it begins.
 */
export function useToastPlace(
  viewport: RefObject<HTMLElement | null>,
  toast: { id: string; updateKey?: number } | undefined,
): void {
  const shown = toast && `${toast.id} ${toast.updateKey}`
  useLayoutEffect(() => {
    if (shown === undefined) return
    const place = () => {
      if (viewport.current) placeToast(viewport.current)
    }
    place()
    window.addEventListener('resize', place)
    return () => window.removeEventListener('resize', place)
  }, [shown, viewport])
}

/**
 * Moves a toast down where it would cover a button or a link, for instance on a phone, where it is
 * as wide as the page.
 */
function placeToast(viewport: HTMLElement): void {
  viewport.style.top = ''
  const { left, right, top, height } = viewport.getBoundingClientRect()
  if (height === 0) return
  const taken = [...document.querySelectorAll(pressed)]
    .filter((one) => !viewport.contains(one))
    .map((one) => ({ one, box: one.getBoundingClientRect() }))
    .filter(({ box }) => box.left < right && box.right > left && box.bottom > top)
    .filter(({ one, box }) => isReachable(one, box, viewport))
    .map(({ box }) => box)
  const place = freeTop(height, { from: top, until: window.innerHeight - gap }, taken)
  if (place !== top) viewport.style.top = `${place}px`
}

/**
 * True if a click in the middle of the element reaches it. It does not if the element is outside
 * the window, or below a dialog. The toast itself is not counted.
 */
function isReachable(element: Element, box: DOMRect, viewport: Element): boolean {
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
  const hit = document.elementsFromPoint(x, y).find((one) => !viewport.contains(one))
  return hit !== undefined && element.contains(hit)
}
