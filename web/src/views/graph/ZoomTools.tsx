import { useReactFlow, useStore } from "@xyflow/react";

const FIT = { padding: 0.1, maxZoom: 1 };

/** Fit, −, how near one looks, +. */
export function ZoomTools() {
  const { fitView, zoomIn, zoomOut } = useReactFlow();
  const zoom = useStore((state) => state.transform[2]);
  const name = `${Math.round(zoom * 100)} %`;
  return (
    <div className="graph-tools" role="toolbar" aria-label="Zoom">
      <button type="button" onClick={() => void fitView(FIT)}>
        Fit
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => void zoomOut()}>
        −
      </button>
      <output aria-label="Zoom">{name}</output>
      <button type="button" aria-label="Zoom in" onClick={() => void zoomIn()}>
        +
      </button>
    </div>
  );
}
