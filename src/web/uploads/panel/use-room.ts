import { type RefObject, useLayoutEffect } from 'react'

/** Space between the panel and what it must not cover, in pixels. */
const gap = 16

/**
 * Tells the page how much of its lower end the element covers, as the length `--uploads-room` of the
 * root, for as long as the element is there.
 */
export const useRoom = (panel: RefObject<HTMLElement | null>): void => {
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
