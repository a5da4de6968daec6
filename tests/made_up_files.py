"""Files of bags written by hand, and damaged on purpose."""

import pytest
from hypothesis import HealthCheck, settings

from mimlpaper.datasets import DataError, read_bags

TWO = """@relation two

 @attribute id {bag1,bag2}
 @attribute bag relational
   @attribute f1 numeric
   @attribute f2 numeric
   @attribute f3 numeric
 @end bag
 @attribute label1 {0,1}
 @attribute label2 {0,1}
 @attribute label3 {0,1}
 @attribute label4 {0,1}

 @data
 bag1,"5,-20,-7\\n4.5,-1,2\\n3,12.5,.25",1,0,0,1
 bag2,"1e1,-8,0\\n2,6,9.75",0,1,1,0 """

TWO_XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="label4"></label>
<label name="label1"><label name="label2"></label></label>
<label name="label3"/>
</labels>
"""

TABLE = "bag,x,label:b,y\nq,1,0,2\nq,3,0,4\np,-5e-3,1,6\n"


def refused(path, content, message, **options):
    """Reading ``content`` fails with a DataError that names the file and says ``message``."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=message) as caught:
        read_bags(path, **options)
    assert str(caught.value).startswith(str(path))


def many(n):
    """So many examples, all with the one temporary folder of the test."""
    one_folder = [HealthCheck.function_scoped_fixture]
    return settings(max_examples=n, deadline=None, suppress_health_check=one_folder)
