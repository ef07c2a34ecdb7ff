import styles from './uploads-panel.css?url'

/** Loads the panel's style sheet on a page that the build renders. Then calls `onLoad`. */
export function loadPanelStyles(onLoad: () => void): void {
  const styleSheet = document.createElement('link')
  styleSheet.rel = 'stylesheet'
  styleSheet.href = styles
  styleSheet.addEventListener('load', onLoad)
  document.head.append(styleSheet)
}
