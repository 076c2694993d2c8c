"""What TensorBoard reads, made with its own messages and its own record writer. Runs in the parent, after the end.

Invariant: TensorFlow is not imported. TensorBoard's `EventFileWriter` would, where it is installed, to make a
directory; its record writer takes any file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from tensorboard.compat.proto import (
    attr_value_pb2,
    event_pb2,
    graph_pb2,
    node_def_pb2,
    summary_pb2,
    tensor_pb2,
    tensor_shape_pb2,
    types_pb2,
    versions_pb2,
)
from tensorboard.summary.writer.record_writer import RecordWriter

from whydied.records import TensorLogged
from whydied.report.tensorboard.drawn_graph import Node
from whydied.report.tensorboard.event_curves import Curve


class EventFile:
    """Writes events into an open file. `wall_s` turns the recording's clock into the time of day."""

    def __init__(self, file: BinaryIO, began_wall_s: float, began_s: float) -> None:
        self._writer = RecordWriter(file)
        self._offset_s = began_wall_s - began_s
        self._add(event_pb2.Event(wall_time=began_wall_s, file_version="brain.Event:2"))

    def curve(self, curve: Curve) -> None:
        metadata = _metadata("scalars", summary_pb2.DATA_CLASS_SCALAR, curve.about)
        for point in curve.points:
            tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, float_val=[point.value])
            self._summary(point.at_s, point.step, curve.tag, tensor, metadata)

    def text(self, tag: str, at_s: float, step: int, markdown: str) -> None:
        metadata = _metadata("text", summary_pb2.DATA_CLASS_TENSOR, "")
        tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[markdown.encode("utf-8")])
        self._summary(at_s, step, tag, tensor, metadata)

    def histogram(self, tag: str, at_s: float, logged: TensorLogged) -> None:
        numbers, finite = logged.numbers, sum(logged.counts)
        histogram = summary_pb2.HistogramProto(
            min=logged.edges[0],
            max=logged.edges[-1],
            num=finite,
            sum=(numbers.mean or 0.0) * finite,
            sum_squares=(numbers.norm or 0.0) ** 2,
            bucket_limit=logged.edges[1:],
            bucket=[float(count) for count in logged.counts],
        )
        value = summary_pb2.Summary.Value(tag=tag, histo=histogram)
        self._value(at_s, logged.step, value)

    def graph(self, nodes: Iterable[Node]) -> None:
        definition = graph_pb2.GraphDef(
            node=[_node(node) for node in nodes], versions=versions_pb2.VersionDef(producer=22)
        )
        self._add(event_pb2.Event(wall_time=self._offset_s, graph_def=definition.SerializeToString()))

    def _summary(self, at_s: float, step: int, tag: str, tensor: object, metadata: object) -> None:
        self._value(at_s, step, summary_pb2.Summary.Value(tag=tag, tensor=tensor, metadata=metadata))

    def _value(self, at_s: float, step: int, value: object) -> None:
        summary = summary_pb2.Summary(value=[value])
        self._add(event_pb2.Event(wall_time=at_s + self._offset_s, step=step, summary=summary))

    def _add(self, event: event_pb2.Event) -> None:
        self._writer.write(event.SerializeToString())


def _metadata(plugin: str, data_class: int, about: str) -> summary_pb2.SummaryMetadata:
    """Of version 0 of each plugin's own data, which is the empty message."""
    return summary_pb2.SummaryMetadata(
        plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=plugin),
        summary_description=about,
        data_class=data_class,
    )


def _node(node: Node) -> node_def_pb2.NodeDef:
    attributes = {name: attr_value_pb2.AttrValue(s=value.encode("utf-8", "replace")) for name, value in node.facts}
    if node.shapes:
        shapes = attr_value_pb2.AttrValue.ListValue(shape=[_shape(shape) for shape in node.shapes])
        attributes["_output_shapes"] = attr_value_pb2.AttrValue(list=shapes)
    return node_def_pb2.NodeDef(name=node.name, op=node.op, input=node.inputs, attr=attributes)


def _shape(shape: tuple[int | None, ...] | None) -> tensor_shape_pb2.TensorShapeProto:
    if shape is None:
        return tensor_shape_pb2.TensorShapeProto(unknown_rank=True)
    sizes = [tensor_shape_pb2.TensorShapeProto.Dim(size=-1 if size is None else size) for size in shape]
    return tensor_shape_pb2.TensorShapeProto(dim=sizes)
