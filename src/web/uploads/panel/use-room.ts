import { type RefObject, useLayoutEffect } from 'react'

/** The space in pixels between the panel and the content that it must not cover. */
const gap = 16

/**
 * Sets `--uploads-room` on the root element while the panel exists. Its value is the height of the
 * panel at the bottom of the page, so that the page can leave that space free.
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
