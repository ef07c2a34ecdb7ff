import { type RefObject, useLayoutEffect } from 'react'

/** Space between the panel and what it must not cover, in pixels. */
const gap = 16

/**
 * Sets `--uploads-room` on the root to the height that the element covers at the lower end of the page,
 * for as long as the element is there.
 */
export function useRoom(panel: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = panel.current
    if (element === null) return
    const root = document.documentElement
    const measure = () => {
      const covered = window.innerHeight - element.getBoundingClientRect().top
      root.style.setProperty('--uploads-room', `${Math.ceil(covered) + gap}px`)
    }
    const watch = new ResizeObserver(measure)
    watch.observe(element)
    return () => {
      watch.disconnect()
      root.style.removeProperty('--uploads-room')
    }
  }, [panel])
}
